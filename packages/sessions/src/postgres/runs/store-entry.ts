import type { RunEnding } from '@agentkit/core'
import type { Access, Writing } from '../database/access.ts'
import { type PreparedEntry, writeEntry } from './write-entry.ts'
import { writeTreeEntry } from './write-tree-entry.ts'

/** Further changes that are stored with the entry of a run. */
type Also<T> = {
  ending?: RunEnding
  /**
   * Runs in the same transaction, and takes the run away from its store.
   * @param isRepeated an earlier try has done it already
   */
  after?: (writing: Writing, isRepeated: boolean) => Promise<T>
}

/**
 * Stores an entry: by one statement, unless more is to be done in its transaction.
 * @throws AgentKitError `session-conflict`
 */
export async function storeEntry<T = void>(
  { holder, write }: Access,
  runId: string,
  entry: PreparedEntry,
  { ending, after }: Also<T> = {},
): Promise<T> {
  const held = holder.held(runId)
  const isOwn = held !== undefined && (entry.attempt === undefined || entry.attempt === held.attempt)
  // With their place, messages that an earlier try has stored are not stored again.
  const placed = isOwn && entry.position === undefined ? { ...entry, position: held.count } : entry
  const store = (inTree: boolean): Promise<{ count: number; result: T } | 'in tree'> =>
    write(
      async (writing) => {
        writing.touch(runId)
        const options = { isLeaving: after !== undefined, ...(ending && { ending }) }
        const outcome = await (inTree ? writeTreeEntry : writeEntry)(writing, runId, placed, options)
        if (outcome === 'in tree') return outcome
        // Without `after`, the caller expects nothing.
        const result = after ? await after(writing, outcome.isRepeated) : (undefined as T)
        return { count: outcome.count, result }
      },
      { isSingle: !after && !inTree },
    )

  let outcome = await store(held?.inTree ?? false)
  if (outcome === 'in tree') {
    if (held) held.inTree = true
    outcome = await store(true)
    if (outcome === 'in tree') throw new Error('unreachable: the second try is made for a tree')
  }
  if (held && isOwn) held.count = outcome.count
  return outcome.result
}
