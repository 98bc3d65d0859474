import type { DatabaseSync } from 'node:sqlite'
import { AgentKitError } from '@agentkit/core'
import { likeWords, withLikeWords } from '../../bm25/like-words.ts'
import { queryWords } from '../../bm25/query-words.ts'
import { rank } from '../../bm25/rank.ts'
import { timeSlices } from '../../util/time-slices.ts'
import type { Found, Store } from '../store.ts'
import { fileFilter } from './sqlite-filter.ts'
import type { SQLiteReader } from './sqlite-reader.ts'
import { vectorScan } from './sqlite-vectors.ts'

/** How often a vector search is repeated because the index has changed during the search. */
const mostTries = 3

/** The searches of a store. */
export function sqliteSearch(
  reader: SQLiteReader,
  dimensions: number | undefined,
): Pick<Store, 'searchText' | 'searchVector'> {
  const allowed = fileFilter()
  const scan = dimensions === undefined ? undefined : vectorScan(reader, dimensions)

  return {
    async searchText(query, { limit, filter, fuzzy = false }) {
      const exact = queryWords(query)
      if (exact.length === 0) return []
      const known = await reader.search(({ segments }) => segments)
      const words = await (fuzzy ? likeWords : withLikeWords)(known, exact, timeSlices())
      return reader.search(({ segments, version }, database) => {
        const ranked = rank(segments, words, { limit, allowed: allowed(database, filter, version) })
        return withIds(database, ranked)
      })
    },

    async searchVector(vector, { limit, filter }) {
      if (!scan) return []
      if (vector.length !== dimensions) {
        const message = `The index has vectors of ${dimensions} numbers, and this one has ${vector.length}.`
        throw new AgentKitError('invalid-argument', message)
      }
      for (let attempt = 1; ; attempt++) {
        const { view, files } = await reader.search((found, database) => ({
          view: found,
          files: allowed(database, filter, found.version),
        }))
        const nearest = await scan.nearest(view, vector, { limit, allowed: files })
        const answer = await reader.read((database, version) => ({
          found: withIds(database, nearest),
          isFresh: version === view.version,
        }))
        if (answer.isFresh || attempt === mostTries) return answer.found
      }
    },
  }
}

/** Replaces document numbers by chunk ids; deleted ones are left out. */
function withIds(database: DatabaseSync, ranked: readonly { doc: number; score: number }[]): Found[] {
  const idOf = database.prepare('SELECT id FROM chunks WHERE doc = ?')
  return ranked.flatMap(({ doc, score }) => {
    const id = idOf.get(doc)?.id
    return typeof id === 'string' ? [{ id, score }] : []
  })
}
