import type { DatabaseSync } from 'node:sqlite'
import { sortTerms } from '../../bm25/sort-terms.ts'
import type { TimeSlices } from '../../util/time-slices.ts'

/** Collects the changes of a table of keys, to apply them in key order at the end. */
export interface KeyChanges {
  add(key: string, doc: number): void
  remove(key: string, doc: number): void
  write(slices: TimeSlices): Promise<void>
}

export function keyChanges(database: DatabaseSync, table: 'docs_by_id' | 'docs_by_text'): KeyChanges {
  // Each change is one string, `<key> +<doc>` or `<key> -<doc>`: there may be very many, and strings sort fast.
  const changes: string[] = []

  return {
    add: (key, doc) => void changes.push(`${key} +${doc}`),
    remove: (key, doc) => void changes.push(`${key} -${doc}`),

    async write(slices) {
      const addition = database.prepare(`INSERT INTO ${table} (key, doc) VALUES (?, ?)`)
      const removal = database.prepare(`DELETE FROM ${table} WHERE key = ? AND doc = ?`)
      for (const change of await sortTerms(changes, slices)) {
        const end = change.lastIndexOf(' ')
        const statement = change[end + 1] === '+' ? addition : removal
        statement.run(change.slice(0, end), Number(change.slice(end + 2)))
        if (slices.isOver) await slices.next()
      }
    },
  }
}
