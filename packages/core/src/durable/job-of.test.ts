import { expect, it } from 'vitest'
import { jobOf } from './job-of.ts'

const key = { agentId: 'helper', userId: 'ann', sessionId: 's1' }

it('gives all jobs of one session one key, and no other session the same', () => {
  const keyOf = (session: Partial<typeof key>): string | undefined =>
    jobOf({ key: { ...key, ...session }, runId: 'r1', agentId: session.agentId ?? 'helper' }).sessionKey
  expect(keyOf({})).toMatch(/^[0-9a-f]{64}$/)
  expect(jobOf({ key, runId: 'r2', agentId: 'helper', priority: 3 }).sessionKey).toBe(keyOf({}))
  const others = [keyOf({ sessionId: 's2' }), keyOf({ userId: 'bob' }), keyOf({ agentId: 'other' })]
  expect(new Set([keyOf({}), ...others]).size).toBe(4)
  expect(keyOf({ userId: 'a', sessionId: 'b"c' })).not.toBe(keyOf({ userId: 'a"b', sessionId: 'c' }))
})

it('gives the job of a run without a session no key', () => {
  expect(jobOf({ key: { ...key, agentId: 'helper:run' }, runId: 'r1', agentId: 'helper', dueAt: 5 })).toEqual({
    ...{ runId: 'r1', agentId: 'helper', userId: 'ann', startAfter: 5 },
  })
})
