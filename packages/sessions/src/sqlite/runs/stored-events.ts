import type { AgentEvent } from '@agentkit/core'
import { parseStored } from '../../util/json.ts'
import type { Touch } from '../database/store-access.ts'
import type { Statements } from '../statements/statements.ts'
import type { WrittenRun } from './rows.ts'

/** Events of a run as they are stored: the number that each brings, and its JSON. */
export type PreparedEvents = readonly (readonly [seq: number, body: string])[]

export function addEvents(
  statements: Statements,
  touch: Touch,
  run: Pick<WrittenRun, 'number' | 'keeps_events' | 'is_background'>,
  events: PreparedEvents,
): void {
  if (!run.keeps_events || events.length === 0) return
  if (run.is_background) addTreeEvents(statements, touch, run.number, events)
  else for (const [seq, body] of events) statements.addEvent.run(run.number, seq, body)
}

/**
 * A background run and its members have one stream of events. An event whose number is taken gets the next one, so the
 * numbers that the run itself has given show which events are stored already.
 */
function addTreeEvents(statements: Statements, touch: Touch, number: number, events: PreparedEvents): void {
  // The row has the columns that the statement selects. The root is deleted with its members, so it is there.
  const place = statements.streamOfRun.get(number) as {
    own: number
    stream: number
    root: string
    pruned: number
    last: number | null
  }
  const { stream } = place
  const member = stream === number ? null : number
  let own = place.own
  let last = Math.max(place.last ?? 0, member === null ? 0 : place.pruned)
  for (const [seq, body] of events) {
    if (seq <= own) continue
    own = seq
    last = Math.max(seq, last + 1)
    statements.addTreeEvent.run(stream, last, body, member)
  }
  statements.setOwnSeq.run(own, number)
  if (member !== null) touch(place.root)
}

export function readEvents(statements: Statements, runId: string, after: number, limit: number): AgentEvent[] {
  const place = findPlace(statements, runId)
  if (!place) return []
  const { number, root } = place
  const rows =
    root === null
      ? statements.events.all(number, after, limit)
      : statements.eventsOfMember.all(number, root, after, limit)
  return (rows as { seq: number; body: string }[]).map(({ seq, body }) => {
    const event = parseStored<AgentEvent>(body, runId, 'events')
    event.seq = seq
    return event
  })
}

export function readEventRange(statements: Statements, runId: string): { oldest: number; last: number } | undefined {
  const place = findPlace(statements, runId)
  if (!place) return undefined
  const { number, root } = place
  const row =
    root === null
      ? statements.eventRange.get({ run: number })
      : statements.eventRangeOfMember.get({ member: number, run: root })
  // An aggregate has one row, of NULLs where there are no events.
  const { oldest, last } = row as { oldest: number | null; last: number | null }
  return oldest === null || last === null ? undefined : { oldest, last }
}

function findPlace(statements: Statements, runId: string): { number: number; root: number | null } | undefined {
  // The row has the columns that the statement selects.
  return statements.placeOfEvents.get(runId) as { number: number; root: number | null } | undefined
}
