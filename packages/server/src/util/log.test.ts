import { AgentKitError } from '@agentkit/core'
import { describe, expect, it, vi } from 'vitest'
import { createLog, describeError, formatLine, type LogEntry } from './log.ts'

const entry: LogEntry = {
  time: '2026-11-21T16:00:00.000Z',
  level: 'error',
  message: 'The model provider failed.',
  path: '/a\n\u001b[31mb\u009b\u2028\u202e',
  status: 502,
}

describe('a log line', () => {
  it.each([0, 1])('cuts no character of a long error in half (%i)', (before) => {
    const text = describeError(new Error('x'.repeat(before) + '😀'.repeat(400)))
    expect(text.length).toBeGreaterThan(490)
    expect(text.isWellFormed()).toBe(true)
  })

  it.each(['human', 'json'] as const)('47 is one line without control characters (%s)', (format) => {
    const line = formatLine(entry, format)
    expect(line).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u)
    expect(line).toContain('502')
  })

  it('is JSON as pino writes it', () => {
    const { time, level: _, message, ...rest } = entry
    expect(JSON.parse(formatLine(entry, 'json'))).toEqual({ level: 50, time: Date.parse(time), msg: message, ...rest })
  })

  it('is one readable line on the console', () => {
    const printed = [vi.spyOn(console, 'info'), vi.spyOn(console, 'error')].map((spy) => spy.mockReturnValue())
    const log = createLog(console)
    log({ ...entry, level: 'info' })
    log(entry)
    expect(printed.map(({ mock }) => mock.calls)).toEqual([
      [[formatLine({ ...entry, level: 'info' }, 'human')]],
      [[formatLine(entry, 'human')]],
    ])
    for (const spy of printed) spy.mockRestore()
  })

  it('is a call of the logger that was passed', () => {
    const calls: unknown[] = []
    const log = createLog({
      info: (fields, message) => void calls.push(['info', fields, message]),
      error: (fields, message) => void calls.push(['error', fields, message]),
    })
    const { time: _, level: _level, message, ...rest } = entry
    log(entry)
    log({ ...entry, level: 'info' })
    expect(calls).toEqual([
      ['error', rest, message],
      ['info', rest, message],
    ])
  })
})

describe('the description of an error', () => {
  it('has the code and the causes, and no secret', () => {
    const cause = new TypeError('socket of sk-abcdefgh12345678 closed')
    const error = new AgentKitError('network', 'cannot reach it', { cause })
    expect(describeError(error)).toBe('network: cannot reach it < TypeError: socket of [redacted] closed')
  })

  it('is one line without control characters, also for a logger that prints it as it is', () => {
    expect(describeError(new Error('a\n\u001b[31mb\u2028c'))).toBe('Error: a\\u000a\\u001b[31mb\\u2028c')
  })

  it('is cut to a maximum length', () => {
    expect(describeError(new Error('x'.repeat(10_000))).length).toBeLessThanOrEqual(500)
  })

  it.each([[null], [undefined], ['boom'], [42], [{}], [Object.create(null)]])('exists for %j', (thrown) => {
    expect(typeof describeError(thrown)).toBe('string')
  })
})

it.each([
  [
    'throws',
    () => {
      throw new Error('disk full')
    },
  ],
  ['rejects', () => Promise.reject(new Error('disk full'))],
])('completes a request whose log %s', async (_, fails) => {
  const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  const log = createLog(fails)
  expect(() => log(entry)).not.toThrow()
  await new Promise((resolve) => setImmediate(resolve))
  expect(written.mock.lastCall?.[0]).toBe(`${formatLine(entry, 'json')}\n`)
  written.mockRestore()
})
