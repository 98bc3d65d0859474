import { expect, it, vi } from 'vitest'
import type { LogEntry } from './log.ts'
import { logFailures } from './log-failures.ts'

it('logs a lasting failure once, and again when it changes or comes back', () => {
  let time = 0
  const log = vi.fn<(entry: LogEntry) => void>()
  const report = logFailures('It failed.', { log, now: () => time })
  for (; time < 3_600_000; time += 5_000) report(new Error('damaged'))
  expect(log.mock.calls).toMatchObject([[{ level: 'error', message: 'It failed.', error: 'Error: damaged' }]])
  report(new Error('locked'))
  report(new Error('damaged'))
  expect(log.mock.calls.slice(1)).toMatchObject([[{ error: 'Error: locked' }]])
  time += 60_000
  report(new Error('damaged'))
  expect(log.mock.calls.slice(2)).toMatchObject([[{ error: 'Error: damaged' }]])
})

it('remembers few errors, however many there are', () => {
  const log = vi.fn<(entry: LogEntry) => void>()
  const report = logFailures('It failed.', { log, now: () => 0 })
  for (let number = 0; number < 101; number++) report(new Error(`no. ${number}`))
  report(new Error('no. 0'))
  expect(log).toHaveBeenCalledTimes(102)
})
