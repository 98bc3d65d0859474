import { setImmediate } from 'node:timers'
import { isAgentKitError } from '@agentkit/core'
import type { Access } from '../database/access.ts'
import { toStored } from '../database/text-form.ts'
import { storeEntry } from './store-entry.ts'
import { hasOnlyEvents, type PreparedEntry } from './write-entry.ts'

/** The limits of one statement; a single entry may have more characters. */
const most = { entries: 50, characters: 1_000_000 }
/** Statements for several entries at once: while they are in flight, further entries gather for the next one. */
const mostStatements = 4

/** An entry of a run that the store holds, with the run's id as it is stored. */
type Placed = PreparedEntry & { id: string; attempt: number; position: number }
type Waiting = {
  runId: string
  entry: Placed
  /** @param count of the run's messages; `undefined` when the entry is to be stored alone */
  settle(count: number | undefined): void
  fail(error: unknown): void
}

/**
 * Stores the entries of one turn of the event loop, such as those of a worker's runs, by one statement. Each entry is
 * stored or refused independently: an entry that the statement leaves out is stored alone, or refused with the reason.
 */
export function appendTogether(access: Access): (runId: string, entry: PreparedEntry) => Promise<void> {
  const waiting: Waiting[] = []
  let inFlight = 0
  let isDue = false

  const writeNext = (): void => {
    isDue = false
    while (inFlight < mostStatements && waiting.length > 0) {
      inFlight++
      void write(takeFrom(waiting)).then(() => {
        inFlight--
        plan()
      })
    }
  }
  // Waits for the other entries of this turn of the event loop.
  const plan = (): void => {
    if (isDue || inFlight === mostStatements || waiting.length === 0) return
    isDue = true
    setImmediate(writeNext)
  }

  const write = async (entries: readonly Waiting[]): Promise<void> => {
    try {
      const counts = entries.length > 1 ? await writeEntries(access, entries) : undefined
      for (const [index, { settle }] of entries.entries()) settle(counts?.get(index))
    } catch (error) {
      // A retryable failure, such as a lost connection, concerns all entries; another failure may concern one entry.
      const isOfAll = isAgentKitError(error) && error.retryable
      for (const { settle, fail } of entries) isOfAll ? fail(error) : settle(undefined)
    }
  }

  return async (runId, entry) => {
    const held = access.holder.held(runId)
    const { attempt, position, state } = entry
    if (!held || held.inTree || attempt !== held.attempt || state !== null || hasOnlyEvents(entry)) {
      return storeEntry(access, runId, entry)
    }
    const placed = { ...entry, id: toStored(runId), attempt, position: position ?? held.count }
    const count = await new Promise<number | undefined>((settle, fail) => {
      waiting.push({ runId, entry: placed, settle, fail })
      plan()
    })
    if (count === undefined) return storeEntry(access, runId, placed)
    held.count = count
  }
}

function takeFrom(waiting: Waiting[]): Waiting[] {
  let length = 0
  for (let characters = 0; length < Math.min(waiting.length, most.entries); length++) {
    const { bodies, progress, events } = (waiting[length] as Waiting).entry
    for (const text of [...bodies, ...events[1], progress ?? '']) characters += text.length
    if (length > 0 && characters > most.characters) break
  }
  return waiting.splice(0, length)
}

/** @returns the number of messages of the runs whose entry is stored, by its place in `entries` */
function writeEntries(access: Access, entries: readonly Waiting[]): Promise<Map<number, number>> {
  const values: unknown[] = []
  const text = statementText(entries, (value, type) => `$${values.push(value)}::${type}[]`)
  return access.write(
    async ({ query, touch }) => {
      const rows = await query<{ place: number; count: number }>(text, values)
      for (const { place } of rows) touch((entries[place - 1] as Waiting).runId)
      return new Map(rows.map(({ place, count }) => [place - 1, count]))
    },
    { isSingle: true },
  )
}

/**
 * The same as `write-entry.ts` for several runs: it locks each run and compares its attempt, and never changes stored
 * rows.
 */
function statementText(entries: readonly Waiting[], put: (values: unknown[], type: string) => string): string {
  const all = entries.map(({ entry }) => entry)
  const ofEach = (type: string, read: (entry: Placed) => unknown): string => put(all.map(read), type)
  const given = [
    ofEach('text', ({ id }) => id),
    ofEach('int', ({ attempt }) => attempt),
    ofEach('int', ({ position }) => position),
    ofEach('int', ({ bodies }) => bodies.length),
    ofEach('text', ({ usage }) => usage),
    ofEach('text', ({ progress }) => progress),
  ]
  /** One array per column of a table; the first array has the position of each row's entry. */
  const columns = (types: readonly string[], rowsOf: (entry: Placed) => readonly (readonly unknown[])[]): string => {
    const rows = all.flatMap((entry, index) => rowsOf(entry).map((row) => [index + 1, ...row]))
    if (rows.length === 0) return ''
    const valuesOf = (column: number): unknown[] => rows.map((row) => row[column])
    return ['int', ...types].map((type, column) => put(valuesOf(column), type)).join(', ')
  }
  const messages = columns(['int', 'text'], ({ position, bodies }) =>
    bodies.map((body, index) => [position + index, body]),
  )
  const calls = columns(['text', 'text', 'bigint'], ({ calls: [ids, names, times] }) =>
    ids.map((id, index) => [id, names[index], times[index]]),
  )
  const events = columns(['bigint', 'text'], ({ events: [seqs, bodies] }) =>
    bodies.map((body, index) => [seqs[index], body]),
  )
  return `WITH run AS (UPDATE agentkit.runs AS r SET usage = coalesce(g.usage, r.usage),
        progress = coalesce(g.progress, r.progress), takeovers = CASE WHEN length > 0 THEN 0 ELSE takeovers END,
        message_count = greatest(message_count, position + length)
      FROM unnest(${given.join(', ')}) WITH ORDINALITY
        AS g (run_id, attempt, position, length, usage, progress, place)
      WHERE r.run_id = g.run_id AND status = 'running' AND holder IS NOT NULL AND r.attempt = g.attempt AND NOT in_tree
        AND message_count >= position
      RETURNING place::int, number, keeps_events, message_count AS count)
    ${
      messages &&
      `, added AS (INSERT INTO agentkit.messages (run, position, body)
      SELECT number, position, body FROM run JOIN unnest(${messages}) AS m (place, position, body) USING (place)
      ON CONFLICT DO NOTHING)`
    }
    ${
      calls &&
      `, begun AS (INSERT INTO agentkit.calls (run, call_id, name, started_at)
      SELECT number, call_id, name, started_at
      FROM run JOIN unnest(${calls}) AS c (place, call_id, name, started_at) USING (place)
      ON CONFLICT (run, call_id) DO UPDATE SET name = excluded.name, started_at = excluded.started_at)`
    }
    ${
      events &&
      `, emitted AS (INSERT INTO agentkit.events (run, seq, body)
      SELECT number, seq, body FROM run JOIN unnest(${events}) AS e (place, seq, body) USING (place) WHERE keeps_events
      ON CONFLICT DO NOTHING)`
    }
    SELECT place, count FROM run`
}
