import { AgentKitError } from '@agentkit/core'
import { isDiskFull } from '@agentkit/core/internal'
import { expect, it } from 'vitest'
import { failureProblem, handlerProblem } from './problem.ts'

const full = Object.assign(new Error('no space left on /var/lib'), { code: 'ENOSPC' })

it.each<[string, unknown, boolean]>([
  ['a full disk', full, true],
  ['a full quota', { code: 'EDQUOT' }, true],
  ['the limit of a file', { code: 'EFBIG' }, true],
  ['a full database', { code: 'ERR_SQLITE_ERROR', errcode: 13 }, true],
  ['a write that failed', { errcode: 778 }, true],
  ['a full disk of Postgres', { code: '53100' }, true],
  ['a locked database', { errcode: 5 }, false],
  ['a cause', new AgentKitError('storage', 'Failed.', { cause: new Error('x', { cause: full }) }), true],
  ['another error', new Error('ENOSPC'), false],
  ['no error', undefined, false],
])('recognizes %s', (_name, error, expected) => expect(isDiskFull(error)).toBe(expected))

it('ends at a circle of causes', () => {
  const error = new Error('x')
  error.cause = error
  expect(isDiskFull(error)).toBe(false)
})

it('F17 is 507 in answers, of runs and of routes, without the error text', () => {
  const failure = new AgentKitError('storage', 'No room in /var/lib.', { cause: full })
  for (const problem of [failureProblem(failure), handlerProblem(failure), handlerProblem(full)]) {
    expect([problem.status, problem.code]).toEqual([507, 'insufficient-storage'])
    expect(problem.detail).not.toContain('/var/lib')
  }
  const locked = failureProblem(new AgentKitError('storage', 'Locked.'))
  expect([locked.status, locked.headers]).toEqual([503, { 'retry-after': '5' }])
})
