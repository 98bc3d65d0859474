import { expect, it } from 'vitest'
import { jobOf } from './job-of.ts'

const key = { agentId: 'helper', userId: 'ann', sessionId: 's1' }

it('gives all jobs of one session one key, and no other session the same', () => {
  const keyOf = (session: Partial<typeof key>): string | undefined =>
    jobOf({ key: { ...key, ...session }, runId: 'r1', agentId: session.agentId ?? 'helper', acceptedAt: 1 }).sessionKey
  expect(keyOf({})).toMatch(/^[0-9a-f]{64}$/)
  expect(jobOf({ key, runId: 'r2', agentId: 'helper', priority: 3, acceptedAt: 1 }).sessionKey).toBe(keyOf({}))
  const others = [keyOf({ sessionId: 's2' }), keyOf({ userId: 'bob' }), keyOf({ agentId: 'other' })]
  expect(new Set([keyOf({}), ...others]).size).toBe(4)
  expect(keyOf({ userId: 'a', sessionId: 'b"c' })).not.toBe(keyOf({ userId: 'a"b', sessionId: 'c' }))
})

it('gives the job of a run without a session no key', () => {
  expect(
    jobOf({ key: { ...key, agentId: 'helper:run' }, runId: 'r1', agentId: 'helper', dueAt: 5, acceptedAt: 1 }),
  ).toEqual({
    ...{ runId: 'r1', agentId: 'helper', userId: 'ann', startAfter: 5 },
  })
})

it.each([
  ['it was accepted', { acceptedAt: 7, dueAt: 5 }, 7],
  ['it was accepted, when it may start at once', { acceptedAt: 7 }, 7],
  ['it is due', { acceptedAt: 7, dueAt: 9 }, 9],
])('orders the jobs of a session by when %s', (_, times, expected) => {
  expect(jobOf({ key, runId: 'r1', agentId: 'helper', ...times }).sessionOrder).toBe(expected)
})
