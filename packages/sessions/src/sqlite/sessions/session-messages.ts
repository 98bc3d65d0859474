import { type Message, type RunStatus, visibleMessages } from '@agentkit/core'
import { deepFreeze } from '../../util/deep-freeze.ts'
import { type KeptRuns, MessageCache, noMessages } from '../../util/message-cache.ts'
import { parseMessage, turnStatus } from '../runs/rows.ts'
import type { Statements } from '../statements/statements.ts'

/**
 * The conversation of a session as a model may see it: all turns by one statement, each reduced to its visible
 * messages. The messages of a run are parsed once: the ended runs before the first open one are kept in memory.
 *
 * Several statements read here, between which another process may write. Which runs have ended is therefore read before
 * their messages.
 */
export function visibleOf(statements: Statements, session: number): Message[] {
  const cache = cacheOf(statements)
  const known = cache.get(session)
  const kept = known && isUnchanged(statements, session, known.runs) ? known : noMessages
  const ended = endedAfter(statements, session, kept.runs)
  const added: Message[] = []
  const open: Message[] = []
  let chars = 0
  for (const { number, status, bodies } of turnsAfter(statements, session, kept.runs.last)) {
    const messages = bodies.map((body) => parseMessage(statements, number, body))
    const visible = visibleMessages({ runId: '', createdAt: '', status, messages })
    const hasEnded = number <= ended.last
    for (const message of visible) (hasEnded ? added : open).push(hasEnded ? deepFreeze(message) : message)
    if (hasEnded) for (const body of bodies) chars += body.length
  }
  const messages = added.length > 0 ? kept.messages.concat(added) : kept.messages
  if (ended !== kept.runs) cache.set(session, { messages, runs: ended, chars: kept.chars + chars })
  return messages.concat(open)
}

/** Forgets the messages of a session that was deleted. */
export function forgetMessages(statements: Statements, session: number): void {
  cacheOf(statements).forget(session)
}

/** One cache for each open file. */
const caches = new WeakMap<Statements, MessageCache>()

function cacheOf(statements: Statements): MessageCache {
  const known = caches.get(statements) ?? new MessageCache()
  caches.set(statements, known)
  return known
}

type Sums = [last: number | null, count: number, attempts: number, replaced: number, done: number, failed: number]

/**
 * Whether the runs that were kept are still the same. None can be changed and look like before: an attempt more, a
 * replacement and a deletion each change a sum that no later change restores, and a run that is tried again has not ended.
 */
function isUnchanged(statements: Statements, session: number, runs: KeptRuns): boolean {
  const [, count, attempts, replaced, done, failed] = sumsOf(statements, session, 0, runs.last)
  const isSame = count === runs.count && attempts === runs.attempts && replaced === runs.replaced && done === runs.done
  return isSame && failed === runs.count - runs.done && idOf(statements, runs.last) === runs.lastId
}

/** The runs that have ended, with those that were kept: up to the first one that is open. */
function endedAfter(statements: Statements, session: number, kept: KeptRuns): KeptRuns {
  // The column that the statement selects.
  const [open] = statements.firstOpenRun.get(session, kept.last) as unknown as [number | null]
  const until = open === null ? Number.MAX_SAFE_INTEGER : open - 1
  const [last, count, attempts, replaced, done] = sumsOf(statements, session, kept.last, until)
  if (last === null) return kept
  return {
    last,
    lastId: idOf(statements, last),
    count: kept.count + count,
    attempts: kept.attempts + attempts,
    replaced: kept.replaced + replaced,
    done: kept.done + done,
  }
}

function sumsOf(statements: Statements, session: number, after: number, until: number): Sums {
  // The columns that the statement selects.
  return statements.sumsOfRuns.get(session, after, until) as unknown as Sums
}

function idOf(statements: Statements, number: number): unknown {
  return statements.idOfRun.get(number)?.run_id
}

type StoredTurn = { number: number; status: ReturnType<typeof turnStatus>; bodies: string[] }

function turnsAfter(statements: Statements, session: number, after: number): StoredTurn[] {
  const turns: StoredTurn[] = []
  let turn: StoredTurn | undefined
  // The columns that the statement selects.
  const rows = statements.messagesOfSession.all(session, after) as unknown as [number, RunStatus, string][]
  for (const [number, status, body] of rows) {
    if (turn?.number !== number) {
      turn = { number, status: turnStatus(status), bodies: [] }
      turns.push(turn)
    }
    turn.bodies.push(body)
  }
  return turns
}
