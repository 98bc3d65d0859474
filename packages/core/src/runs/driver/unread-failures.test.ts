import { execFile } from 'node:child_process'
import { inspect, promisify } from 'node:util'
import { scriptedModel } from '@agentkit/testing'
import { describe, expect, it } from 'vitest'
import { Agent, AgentKitError, type RunResult } from '../../index.ts'

const fixture = new URL('../../__fixtures__/unread-failures.ts', import.meta.url).pathname

/** What a process of the case prints on stderr, line by line. */
async function stderrOf(name: string): Promise<string[]> {
  const { stderr } = await promisify(execFile)(process.execPath, ['--expose-gc', fixture, name])
  return stderr.split('\n').slice(0, -1)
}

const line = /^agentkit: run run_[0-9a-f-]{36} failed: overloaded: The model is busy\.\\n?.*later\.$/

describe('a failure that no one reads is one line on stderr', () => {
  it.each(['unread', 'left by process.exit'])('when the process ends: %s', async (name) => {
    const lines = await stderrOf(name)
    expect(lines).toEqual([expect.stringMatching(line)])
    expect(lines[0]).not.toContain('\u001b')
  })

  it('once for each run', async () => {
    const lines = await stderrOf('several times')
    expect(lines).toHaveLength(3)
    expect(new Set(lines).size).toBe(3)
  })

  it('when the result is collected, once', async () => {
    expect(await stderrOf('collected')).toEqual([expect.stringMatching(line), 'the end'])
  })

  it('at once, where more fail than are remembered', async () => {
    const lines = await stderrOf('more than are remembered')
    expect(lines).toHaveLength(4)
    expect(lines.at(-1)).toBe('the end')
  })

  it.each([
    ['over its time', 'timeout'],
    ['aborted by its model', 'aborted'],
  ])('when the run is %s', async (name, code) => {
    expect(await stderrOf(name)).toEqual([expect.stringContaining(` failed: ${code}: `)])
  })
})

it.each([
  'error read',
  'finishReason read',
  'iterated',
  'chat that throws',
  'printed',
  'spread',
  'successful',
  'aborted by its signal',
  'cancelled by the caller',
  'left by its reader',
  'handed back to another process',
  'of a worker',
  'of a server',
])('prints nothing for a run: %s', async (name) => {
  expect(await stderrOf(name)).toEqual([])
})

describe('the accessors of a failed result', () => {
  const failure = new AgentKitError('quota', 'Nothing is left.')
  const failed = (): Promise<RunResult> =>
    new Agent({ name: 'Test', model: scriptedModel([failure]), retry: { attempts: 1 } }).stream('Go').result

  it('print and spread like data', async () => {
    const plain = { ...(await failed()) }
    expect(plain).toMatchObject({ finishReason: 'error', error: { code: 'quota' } })
    expect(Object.getOwnPropertyDescriptor(plain, 'error')).toHaveProperty('value')
    const result = await failed()
    expect(Object.keys(result).sort()).toEqual(Object.keys(plain).sort())
    expect(inspect(result)).toContain("finishReason: 'error'")
    expect(inspect(result)).not.toContain('Getter')
    expect(JSON.parse(JSON.stringify(result))).toMatchObject({ finishReason: 'error', error: { code: 'quota' } })
    expect(structuredClone({ ...result, error: undefined, messages: [] })).toMatchObject({ finishReason: 'error' })
  })

  it('can be overwritten like data', async () => {
    const result = await failed()
    Object.assign(result, { finishReason: 'stop' })
    expect(result.finishReason).toBe('stop')
    expect(result.error?.code).toBe('quota')
  })
})
