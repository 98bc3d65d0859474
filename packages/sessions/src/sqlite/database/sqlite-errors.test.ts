import { AgentKitError } from '@agentkit/core'
import { isSQLiteLocked } from '@agentkit/core/internal'
import { expect, it } from 'vitest'
import { toStorageError } from './sqlite-errors.ts'

it.each([
  [{ errcode: 5 }, 'is held by another process', true],
  [{ errcode: 517 }, 'is held by another process', true],
  [{ errcode: 6 }, 'is held by another process', true],
  [{ errcode: 1032 }, 'cannot be written', false],
  [{ errcode: 778 }, 'Check the disk', false],
  [{ errcode: 11 }, 'is damaged', false],
  [{ errcode: 13 }, 'Free space on its disk', false],
  [{ errcode: 14 }, 'cannot be opened', false],
  [{ errcode: 26 }, 'is not a session database', false],
  [{ errcode: 1, message: 'no such table: runs' }, 'no such table: runs', false],
  [{ code: 'ENOSPC' }, 'Free space on its disk', false],
  [{ code: 'EACCES' }, 'Allow this user to write its folder', false],
  [new Error('odd'), 'odd', false],
])('says what to do about %j', (failure, message, retryable) => {
  const error = toStorageError(failure, '/home/ann/secret-project/sessions.db')
  expect(error).toMatchObject({ code: 'storage', retryable, cause: failure })
  expect(error.message).toContain(message)
  expect(error.message).toContain('sessions.db')
  expect(error.message).not.toContain('secret-project')
  expect(isSQLiteLocked(failure)).toBe(retryable)
})

it('returns an AgentKitError unchanged', () => {
  const conflict = new AgentKitError('session-conflict', 'The run r1 does not hold its session (any more).')
  expect(toStorageError(conflict, 'sessions.db')).toBe(conflict)
})
