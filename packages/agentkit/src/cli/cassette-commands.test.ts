import { execFile, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { buildPackages, builtEnvironment } from '@agentkit/test-build'
import { type FakeScript, fakeProvider, readCassette } from '@agentkit/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cliFile } from '../__fixtures__/cli-folder.ts'
import { keyVariables } from '../models/providers.ts'

const app = join(import.meta.dirname, '../__fixtures__/weather-app.ts')
const node = process.execPath

let folder: string
let recorded: Output
beforeAll(buildPackages)
beforeAll(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'agentkit-cassette-')))
  recorded = await recordApp('weather.cassette')
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const script: FakeScript = [
  { toolCalls: [{ name: 'weather', input: { city: 'Oslo' } }] },
  { text: 'Rain until noon.' },
  { text: 'Take an umbrella.' },
]

type Output = { code: number; out: string; error: string }

/** The app, recorded against a server that is closed afterwards. */
async function recordApp(file: string, ...words: string[]): Promise<Output> {
  const server = await fakeProvider('openai-chat', script)
  const output = await agentkit(['record', file, '--', node, app, ...words], {
    OPENAI_BASE_URL: server.url,
    OPENAI_API_KEY: 'sk-a-real-key-000',
  })
  await server.close()
  return output
}

describe('agentkit record and agentkit replay', () => {
  it('record the models of a command, and replay them event for event without network and keys', async () => {
    expect(recorded.error).toBe('weather.cassette: 3 calls of openai/gpt-5.4, openai/gpt-5.4-mini.')
    expect(recorded.code).toBe(0)
    expect(recorded.out).toMatch(/"type":"run-end","finishReason":"stop","text":"Take an umbrella\."/)
    expect(readFileSync(join(folder, 'weather.cassette'), 'utf8')).not.toContain('sk-a-real')
    expect(await agentkit(['replay', 'weather.cassette', '--', node, app])).toEqual({ ...recorded, error: '' })
  })

  it('return the exit code of the command, and pass its arguments unchanged', async () => {
    const words = ['weather.cassette', '--', node, '-p', 'process.exitCode = 4, process.argv.slice(1).join()']
    const { code, out } = await agentkit(['replay', ...words, '--', '--strict', '--', 'x'])
    expect({ code, out }).toEqual({ code: 4, out: '--strict,--,x' })
    const { out: bare } = await agentkit(['replay', 'weather.cassette', node, '-p', '1', '--', '-x'])
    expect(bare).toBe('1')
  })

  it('configure only the command that they start, in any folder', async () => {
    const print = 'process.chdir("/"), [process.env.AGENTKIT_RECORD, process.env.AGENTKIT_REPLAY].join()'
    const outer = { AGENTKIT_RECORD: 'outer.cassette' }
    const { out } = await agentkit(['replay', 'weather.cassette', '--', node, '-p', print], outer)
    expect(out).toBe(`,${join(folder, 'weather.cassette')}`)
  })

  it('report the difference when a request was not recorded', async () => {
    const { out } = await agentkit(['replay', 'weather.cassette', '--', node, app, 'Snow?'])
    const { error } = JSON.parse(out.split('\n').at(-1) ?? '')
    expect(error.code).toBe('not-found')
    expect(error.message).toMatch(
      /nearest is call 1; .*\n {2}messages\[0\]\.content\n {4}- "Weather\?"\n {4}\+ "Snow\?"/,
    )
  })

  it('replace the cassette, also for a command that fails', async () => {
    writeFileSync(join(folder, 'anew.cassette'), readFileSync(join(folder, 'weather.cassette')))
    expect(await recordApp('anew.cassette', 'Weather?', '3')).toMatchObject({ code: 3 })
    expect(readCassette(join(folder, 'anew.cassette')).calls).toHaveLength(3)
  })

  it('keep the earlier recording where the command fails before its first call', async () => {
    const earlier = readFileSync(join(folder, 'weather.cassette'))
    writeFileSync(join(folder, 'kept.cassette'), earlier)
    const { code, error } = await agentkit(['record', 'kept.cassette', '--', node, '-e', 'process.exit(7)'])
    expect({ code, error }).toEqual({ code: 7, error: expect.stringContaining('The earlier recording is kept.') })
    expect(readFileSync(join(folder, 'kept.cassette'))).toEqual(earlier)
  })

  it('report that nothing was recorded', async () => {
    expect(await agentkit(['record', 'none.cassette', '--', node, '-e', '0'])).toEqual({
      code: 1,
      out: '',
      error: 'none.cassette was not written: the command called no model through an Agent of the package agentkit.',
    })
  })

  it.each([
    [
      'a cassette that is not there',
      2,
      ['replay', 'not-there.cassette', '--', node, '-p', '1'],
      /^There is no cassette/,
    ],
    [
      'a program that is not there',
      1,
      ['record', 'x.cassette', '--', 'no-such-program'],
      /^"no-such-program" cannot be started/,
    ],
    ['no command after the dashes', 2, ['record', 'weather.cassette', '--'], /^There is no command after the cassette/],
    ['a folder to record into', 2, ['record', '.', '--', node, '-e', '0'], /^"\." is a folder/],
    [
      'a cassette that cannot be written, before the command starts',
      1,
      ['record', 'weather.cassette/x.cassette', '--', node, '-p', '1'],
      /^The cassette weather\.cassette\/x\.cassette cannot be written: EEXIST\. Pass a file in a folder in which you may write\.$/,
    ],
    ['no command', 2, ['replay', 'x.cassette'], /missing required argument 'command'/],
  ])('refuse %s', async (_, code, words, problem) => {
    expect(await agentkit(words)).toMatchObject({ code, out: '', error: expect.stringMatching(problem) })
  })

  it.each([
    ['SIGTERM', 'SIGTERM'],
    ['SIGINT', 'SIGINT'],
    ['SIGHUP', 'SIGTERM'],
  ] as const)('end the command when they alone receive %s, by %s', async (signal, received) => {
    const sleeper = join(folder, 'sleeper.mjs')
    writeFileSync(
      sleeper,
      `import { writeFileSync } from 'node:fs'
       process.on('${received}', () => { writeFileSync('${signal}.txt', ''); process.exit(5) })
       console.log('ready')
       setInterval(() => {}, 1000)`,
    )
    const child = spawn(node, [cliFile, 'replay', 'weather.cassette', '--', node, sleeper], {
      cwd: folder,
      env: builtEnvironment(),
    })
    const ended = new Promise((resolve) => child.on('close', resolve))
    await new Promise((resolve) => child.stdout.once('data', resolve))
    child.kill(signal)
    expect(await ended).toBe(5)
    expect(existsSync(join(folder, `${signal}.txt`))).toBe(true)
  })
})

it('agentkit cassette shows the calls', async () => {
  const { code, out } = await agentkit(['cassette', 'weather.cassette'])
  expect(code).toBe(0)
  expect(out.replaceAll(/\d+ tokens in, \d+ out/g, '… tokens')).toBe(
    `weather.cassette: 3 calls of openai/gpt-5.4, openai/gpt-5.4-mini.

1  openai/gpt-5.4
   user: Weather?
   → weather({"city":"Oslo"})
   tool-calls, … tokens
2  openai/gpt-5.4-mini
   user: Weather in Oslo?
   assistant: Rain until noon.
   stop, … tokens
3  openai/gpt-5.4
   tool weather: Rain until noon.
   assistant: Take an umbrella.
   stop, … tokens`,
  )
})

/** Without the keys of the environment. */
async function agentkit(words: string[], variables: Record<string, string> = {}): Promise<Output> {
  const keys = Object.fromEntries([...Object.values(keyVariables).flat(), 'OPENAI_BASE_URL'].map((name) => [name, '']))
  const run = promisify(execFile)(node, [cliFile, ...words], {
    cwd: folder,
    env: { ...builtEnvironment(), ...keys, ...variables },
  })
  const ended = await run.then(
    (output) => ({ code: 0, ...output }),
    // A failed process has its exit code and its output in the error.
    (error: { code: number; stdout: string; stderr: string }) => error,
  )
  return { code: ended.code, out: ended.stdout.trim(), error: ended.stderr.trim() }
}
