import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it } from 'vitest'
import { chatRequest, expectHealthy, until } from './__fixtures__/requests.ts'
import { handleSignals } from './handle-signals.ts'

const script = fileURLToPath(new URL('./__fixtures__/signal-server.ts', import.meta.url))
const children: ChildProcess[] = []

async function start(mode = 'wait') {
  const child = spawn(process.execPath, ['--conditions=@agentkit/source', script, mode], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  children.push(child)
  const output = { out: '', err: '' }
  child.stdout.on('data', (chunk) => {
    output.out += chunk
  })
  child.stderr.on('data', (chunk) => {
    output.err += chunk
  })
  await once(child.stdout, 'data')
  return { child, output, url: output.out.trim(), exit: once(child, 'exit') }
}

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
})

describe('a process with handled signals', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)('finishes active runs at %s, and exits with 0', async (signal) => {
    const { child, output, url, exit } = await start()
    const answer = fetch(`${url}/api/v1/chat`, chatRequest())
    await until(() => output.out.includes('running'))
    child.kill(signal)
    expect(await (await answer).text()).toBe('Done.')
    expect(await exit).toEqual([0, null])
    expect(output.out).toContain('closed')
  })

  it('finishes the runs of each of its servers before it closes shared resources', async () => {
    const { child, output, url, exit } = await start('beside another')
    const answer = fetch(`${url}/api/v1/chat`, chatRequest())
    await until(() => output.out.includes('running'))
    child.kill('SIGTERM')
    expect(await (await answer).text()).toBe('Done.')
    expect(await exit).toEqual([0, null])
    const [, ...lines] = output.out.trim().split('\n')
    expect(lines).toEqual(['running', 'ended', 'idle is closed', 'closed'])
  })

  it('logs a failure that belongs to none of its servers once', async () => {
    const { child, output, url } = await start('beside another')
    child.kill('SIGUSR2')
    await until(() => output.err.includes('forgotten'))
    // A run of the second server is logged after it.
    await (await fetch(`${url}/api/v1/chat`, chatRequest())).text()
    await until(() => output.err.includes('A run has ended'))
    expect(output.err.split('forgotten')).toHaveLength(2)
  })

  it('exits at once at the second signal', async () => {
    const { child, output, url, exit } = await start('hang')
    const answer = fetch(`${url}/api/v1/chat`, chatRequest()).catch(() => 'cut off')
    await until(() => output.out.includes('running'))
    child.kill('SIGTERM')
    while ((await fetch(`${url}/ready`)).ok);
    child.kill('SIGTERM')
    expect(await exit).toEqual([143, null])
    expect(await answer).toBe('cut off')
  })

  it('F30 logs code that blocks it for seconds, and continues', async () => {
    const { child, output, url } = await start()
    await expectHealthy(url)
    child.kill('SIGWINCH')
    await until(() => output.err.includes('blocked'))
    expect(entriesIn(output.err)).toContainEqual(
      expect.objectContaining({
        level: 50,
        msg: expect.stringMatching(
          /^The process was blocked for \d+\.\d s: it served no request and continued no run .* worker thread/,
        ),
      }),
    )
    await expectHealthy(url)
  })

  it('continues when the reader of its log has left', async () => {
    const { child, url } = await start()
    child.stderr.destroy()
    // Each run is a line of the log.
    for (let count = 0; count < 3; count++) {
      const answer = await fetch(`${url}/api/v1/chat`, chatRequest())
      expect(await answer.text()).toBe('Done.')
    }
    await expectHealthy(url)
  })

  it('F29 logs an unhandled rejection, without secrets, and continues', async () => {
    const { child, output, url } = await start()
    child.kill('SIGUSR2')
    await until(() => output.err.includes('forgotten'))
    expect(entriesIn(output.err)).toContainEqual(
      expect.objectContaining({ level: 50, error: 'Error: forgotten [redacted]' }),
    )
    await expectHealthy(url)
  })
})

/** A slow machine may log that the process was blocked, beside what a test looks for. */
function entriesIn(lines: string): unknown[] {
  return lines
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
}

it('refuses an unknown option', () => {
  const options = { afterclose: async () => {} } as object
  expect(() => handleSignals({ url: '', close: async () => {} }, options)).toThrow('Unknown option `afterclose`.')
})

it('removes its handlers', () => {
  const events = ['SIGTERM', 'SIGINT', 'unhandledRejection'] as const
  const before = events.map((event) => process.listenerCount(event))
  const remove = handleSignals({ url: '', close: async () => {} })
  expect(events.map((event) => process.listenerCount(event))).toEqual(before.map((count) => count + 1))
  remove()
  expect(events.map((event) => process.listenerCount(event))).toEqual(before)
})

it('has one handler for any number of servers, of which Node warns of no leak', () => {
  const before = process.listenerCount('SIGTERM')
  const removers = Array.from({ length: 11 }, () => handleSignals({ url: '', close: async () => {} }))
  expect(process.listenerCount('SIGTERM')).toBe(before + 1)
  const last = removers.pop()
  for (const remove of removers) remove()
  expect(process.listenerCount('SIGTERM')).toBe(before + 1)
  last?.()
  expect(process.listenerCount('SIGTERM')).toBe(before)
})
