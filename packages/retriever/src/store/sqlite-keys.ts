import type { DatabaseSync } from 'node:sqlite'
import { sortTerms } from '../bm25/sort-terms.ts'
import type { TimeSlices } from './time-slices.ts'

/** Gathers what a change does to a table of keys, to be done in the order of the keys at its end. */
export interface KeyChanges {
  add(key: string, doc: number): void
  remove(key: string, doc: number): void
  write(slices: TimeSlices): Promise<void>
}

export function keyChanges(database: DatabaseSync, table: 'docs_by_id' | 'docs_by_text'): KeyChanges {
  const changes = new Map<string, { removed: number[]; added: number[] }>()
  const changesOf = (key: string): { removed: number[]; added: number[] } => {
    const known = changes.get(key)
    if (known) return known
    const fresh = { removed: [], added: [] }
    changes.set(key, fresh)
    return fresh
  }

  return {
    add: (key, doc) => void changesOf(key).added.push(doc),
    remove: (key, doc) => void changesOf(key).removed.push(doc),

    async write(slices) {
      const removal = database.prepare(`DELETE FROM ${table} WHERE key = ? AND doc = ?`)
      const addition = database.prepare(`INSERT INTO ${table} (key, doc) VALUES (?, ?)`)
      for (const key of await sortTerms(changes.keys(), slices)) {
        const { removed, added } = changesOf(key)
        for (const doc of removed) removal.run(key, doc)
        for (const doc of added) addition.run(key, doc)
        if (slices.isOver) await slices.next()
      }
    },
  }
}
