import { randomBytes } from 'node:crypto'
import type { QueuedJob } from '@agentkit/core'
import { invalidArgument, sha256 } from '@agentkit/core/internal'
import type { JobInsert } from 'pg-boss'

/** A job as pg-boss keeps it: ids, and the place in its session. */
export function toInsert({
  runId,
  agentId,
  userId,
  sessionKey,
  sessionOrder,
  priority = 0,
  startAfter,
}: QueuedJob): JobInsert {
  if (!Number.isInteger(priority) || Math.abs(priority) > 1_000_000_000) {
    throw invalidArgument(
      `The priority of the run "${runId}" is ${priority}. It is a whole number within ±1,000,000,000.`,
    )
  }
  if (startAfter !== undefined && !(Math.abs(startAfter) <= 8.64e15)) {
    throw invalidArgument(`The run "${runId}" starts after ${startAfter}. It is a time in milliseconds since 1970.`)
  }
  const id = nextId()
  const order = Math.floor(sessionOrder ?? Math.max(Date.now(), startAfter ?? 0))
  return {
    id,
    // The user in JSON, as jsonb holds no character 0.
    data: { runId, user: JSON.stringify(userId), ...(sessionKey !== undefined && { order }) },
    priority,
    // The empty key is one key: a job without session needs one of its own.
    singletonKey: sessionKey ?? id,
    group: { id: toGroup(userId), tier: agentId },
    ...(startAfter !== undefined && { startAfter: new Date(startAfter) }),
  }
}

/** The user id, or its hash if an index cannot hold it. */
function toGroup(userId: string): string {
  return userId !== '' && userId.length <= 200 && !userId.includes('\0') ? userId : sha256(userId)
}

let lastTime = 0
let sequence = 0

/**
 * An id that is greater than all ids before it, as in UUID version 7: it orders jobs that were added at the same time.
 */
function nextId(): string {
  const now = Date.now()
  sequence = now > lastTime ? 0 : sequence + 1
  lastTime = Math.max(now, lastTime)
  const time = lastTime.toString(16).padStart(12, '0')
  const count = sequence.toString(16).padStart(6, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${count.slice(0, 3)}-8${count.slice(3)}-${randomBytes(6).toString('hex')}`
}
