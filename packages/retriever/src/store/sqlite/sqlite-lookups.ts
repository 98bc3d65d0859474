import type { Chunk, Place } from '../../data/chunk.ts'
import type { FileRecord } from '../../data/file-record.ts'
import type { Store, StoreMeta } from '../store.ts'
import type { SQLiteReader } from './sqlite-reader.ts'
import { toChunk, toPlace, toRecord } from './sqlite-rows.ts'

type Lookups = Pick<
  Store,
  'version' | 'files' | 'chunks' | 'chunksOf' | 'placesOf' | 'vectorsOf' | 'sample' | 'count' | 'meta'
>

/** The number of rows that are read between two checks of the clock. */
const pageSize = 500
const chunkRows = 'SELECT chunks.*, files.file AS path FROM chunks JOIN files ON files.number = chunks.file'
const placeRows =
  'SELECT id, start, "end", heading, files.file AS path FROM chunks JOIN files ON files.number = chunks.file'
const sampleRows = `SELECT chunks.*, files.file AS path FROM docs_by_id JOIN chunks USING (doc)
  JOIN files ON files.number = chunks.file ORDER BY docs_by_id.key LIMIT ?`

/** The reads of a store other than searches. */
export function sqliteLookups(reader: SQLiteReader, dimensions: number | undefined): Lookups {
  return {
    version: () => reader.read((_, version) => String(version)),

    async files({ file, stale } = {}) {
      const named = file === undefined ? '' : 'file = $file AND'
      const marked = stale ? 'stale = 1 AND' : ''
      const numbered = await reader.collect<{ number: number; record: FileRecord }>((database, collected) =>
        database
          .prepare(`SELECT * FROM files WHERE ${named} ${marked} number > $after ORDER BY number LIMIT ${pageSize}`)
          .all({ after: collected.at(-1)?.number ?? 0, ...(file !== undefined && { file }) })
          .map((row) => ({ number: row.number as number, record: toRecord(row) })),
      )
      return numbered.map(({ record }) => record)
    },

    async chunks(ids) {
      const found = await reader.collect<Chunk | undefined>((database, collected) => {
        const byId = database.prepare(`${chunkRows} WHERE doc = (SELECT doc FROM docs_by_id WHERE key = ?)`)
        return ids.slice(collected.length, collected.length + pageSize).map((id) => {
          const row = byId.get(id)
          return row && toChunk(row)
        })
      })
      return found.filter((chunk) => chunk !== undefined)
    },

    chunksOf: (file, { from = 0, limit = Number.MAX_SAFE_INTEGER } = {}) =>
      reader.collect<Chunk>((database, collected) => {
        const rows = database.prepare(
          `${chunkRows} WHERE files.file = ? AND doc >= first_doc + ? AND doc < first_doc + docs ORDER BY doc LIMIT ?`,
        )
        const count = collected.length
        return rows.all(file, from + count, Math.min(pageSize, limit - count)).map(toChunk)
      }),

    placesOf: (file) =>
      reader.collect<Place>((database, collected) => {
        const rows = database.prepare(
          `${placeRows} WHERE files.file = ? AND doc >= first_doc + ? AND doc < first_doc + docs ORDER BY doc LIMIT ${pageSize}`,
        )
        return rows.all(file, collected.length).map(toPlace)
      }),

    async vectorsOf(textHashes) {
      if (dimensions === undefined) return new Map()
      const found = await reader.collect<[string, Float32Array | undefined]>((database, collected) => {
        const ofText = database.prepare(
          'SELECT vector FROM vectors WHERE doc = (SELECT doc FROM docs_by_text WHERE key = ? LIMIT 1)',
        )
        return textHashes
          .slice(collected.length, collected.length + pageSize)
          .map((hash) => [hash, toVector(ofText.get(hash)?.vector)])
      })
      return new Map(found.filter((entry): entry is [string, Float32Array] => entry[1] !== undefined))
    },

    sample: (count) =>
      reader.read((database) => {
        const vectorOf = database.prepare('SELECT vector FROM vectors WHERE doc = ?')
        // Ids are hashes, so this is a random sample.
        const rows = database.prepare(sampleRows).all(count)
        return rows.map((row) => {
          const vector = toVector(vectorOf.get(row.doc as number)?.vector)
          return vector ? { ...toChunk(row), vector } : toChunk(row)
        })
      }),

    count: () =>
      reader.read(
        (database) => database.prepare('SELECT coalesce(sum(docs), 0) AS count FROM files').get()?.count as number,
      ),

    meta: () =>
      reader.read((database) => {
        const value = database.prepare("SELECT value FROM state WHERE name = 'meta'").get()?.value
        // Written by `setMeta`.
        return typeof value === 'string' ? (JSON.parse(value) as StoreMeta) : {}
      }),
  }
}

/** A copy, because a Float32Array needs an aligned start. */
function toVector(bytes: unknown): Float32Array | undefined {
  return bytes instanceof Uint8Array ? new Float32Array(bytes.slice().buffer) : undefined
}
