import { type Message, type RunStatus, type Session, visibleMessages } from '@agentkit/core'
import { isEnded } from '@agentkit/core/internal'
import { deepFreeze } from '../../util/deep-freeze.ts'
import { parseState, parseStored } from '../../util/json.ts'
import { type KeptRuns, type MessageCache, noMessages } from '../../util/message-cache.ts'
import type { Query } from '../database/database.ts'
import { fromStored } from '../database/text-form.ts'
import type { SessionRow } from '../runs/rows.ts'

/**
 * A session as the model may see it, read by one statement and therefore consistent. The messages of a run are
 * transferred and parsed once: the ended runs before the first open one are kept in memory.
 *
 * @param cache absent within a transaction, whose changes may be rolled back
 */
export async function readSession(
  query: Query,
  { id, version, state }: SessionRow,
  cache?: MessageCache,
): Promise<Session> {
  // At first it has queued runs at most.
  const session: Session = { version, messages: version === 0 ? [] : await visibleOf(query, id, cache) }
  if (state !== null) session.state = parseState(state)
  return session
}

/** A run after those that are kept, beside sums over these. Where there is none, a row has the sums alone. */
type Row = Sums & (StoredRun | { number: null })
type Sums = Omit<KeptRuns, 'last' | 'lastId'> & { failed: number }
type StoredRun = {
  number: number
  run_id: string
  status: RunStatus
  attempt: number
  is_replaced: boolean
  /** `null` of a run that has no messages, or is replaced. */
  bodies: string[] | null
}

async function visibleOf(query: Query, session: number, cache: MessageCache | undefined): Promise<Message[]> {
  const kept = cache?.get(session) ?? noMessages
  const rows = await query<Row>(messagesText, [session, kept.runs.last])
  const [sums] = rows
  if (kept !== noMessages && !(sums && isUnchanged(kept.runs, sums))) {
    cache?.forget(session)
    return visibleOf(query, session, cache)
  }
  const runs = rows.filter((row) => row.number !== null)
  const firstOpen = runs.findIndex(({ status }) => !isEnded(status))
  const ended = firstOpen === -1 ? runs : runs.slice(0, firstOpen)
  const messages = kept.messages.concat(ended.flatMap(messagesOf).map(deepFreeze))
  if (ended.length > 0) {
    const added = ended.flatMap(({ bodies }) => bodies ?? []).reduce((sum, { length }) => sum + length, 0)
    cache?.set(session, { messages, runs: ended.reduce(withRun, kept.runs), chars: kept.chars + added })
  }
  return messages.concat(runs.slice(ended.length).flatMap(messagesOf))
}

/** Whether the runs that were kept are still the same: as in SQLite, no change leaves these sums as they were. */
function isUnchanged(runs: KeptRuns, { count, attempts, replaced, done, failed }: Sums): boolean {
  const isSame = count === runs.count && attempts === runs.attempts && replaced === runs.replaced && done === runs.done
  return isSame && failed === count - done
}

function withRun(runs: KeptRuns, { number, status, attempt, is_replaced }: StoredRun): KeptRuns {
  return {
    last: number,
    count: runs.count + 1,
    attempts: runs.attempts + attempt,
    replaced: runs.replaced + Number(is_replaced),
    done: runs.done + Number(status === 'done'),
  }
}

function messagesOf({ run_id, status, bodies }: StoredRun): Message[] {
  if (!bodies) return []
  return visibleMessages({
    runId: '',
    createdAt: '',
    // A queued run has no messages, or the messages of a failed attempt.
    status: status === 'queued' ? 'waiting' : status,
    messages: bodies.map((body) => parseStored<Message>(body, fromStored(run_id), 'messages')),
  })
}

const messagesText = `SELECT kept.*, number, run_id, status, attempt, is_replaced, bodies FROM (
    SELECT count(*) AS count, coalesce(sum(attempt), 0) AS attempts, count(*) FILTER (WHERE replaced) AS replaced,
      count(*) FILTER (WHERE status = 'done') AS done, count(*) FILTER (WHERE status = 'failed') AS failed
    FROM agentkit.runs WHERE session = $1 AND number <= $2
  ) AS kept LEFT JOIN (
    SELECT number, run_id, status, attempt, replaced AS is_replaced,
      CASE WHEN NOT replaced THEN (SELECT array_agg(body ORDER BY position) FROM agentkit.messages WHERE run = number) END AS bodies
    FROM agentkit.runs WHERE session = $1 AND number > $2
  ) AS later ON true ORDER BY number`
