import type { DatabaseSync } from 'node:sqlite'
import { AgentKitError } from '@agentkit/core'
import { segmentBuilder } from '../../bm25/segment-builder.ts'
import { sortTerms } from '../../bm25/sort-terms.ts'
import { type NewChunk, searchedText } from '../../data/chunk.ts'
import { type ChunkSlices, isSliced, slicesOf } from '../../data/chunk-slices.ts'
import type { TimeSlices } from '../../util/time-slices.ts'
import type { Change } from '../store.ts'
import { keyChanges } from './sqlite-keys.ts'
import { chunkColumns, chunkValues, fileColumns, fileValues } from './sqlite-rows.ts'
import { markDeleted, writeSegment } from './sqlite-segments.ts'

/**
 * The limit is low: documents of a large file have many words of their own, and all stay in memory until the segment is
 * written.
 */
const docsPerSegment = 2_000

/** An index that is open for writing. Without `dimensions` it has words only. */
export type WrittenIndex = { path: string; database: DatabaseSync; dimensions: number | undefined }

/**
 * Applies a change, within the open transaction. `sweep` has to follow.
 *
 * One table after the other, each in the order of its keys, so that no page is changed twice: SQLite would compute the
 * checksums of its log again at COMMIT, which takes long after a large change. Rows of old chunks are deleted later.
 */
export async function applyChange(
  { path, database, dimensions }: WrittenIndex,
  change: Change,
  slices: TimeSlices,
): Promise<void> {
  const statements = prepare(database)
  const ids = keyChanges(database, 'docs_by_id')
  const texts = keyChanges(database, 'docs_by_text')

  const { gone, fresh } = await changeFiles(statements, change, slices)
  await eachChunk(fresh, slices, (chunk, doc, file) => {
    statements.addChunk.run(doc, file, ...chunkValues(chunk))
    ids.add(chunk.id, doc)
  })
  if (dimensions !== undefined) {
    await eachChunk(
      fresh,
      slices,
      ({ vector, textHash }, doc, file) => {
        if (!vector) return
        statements.addVector.run(doc, file, toBytes(vector, dimensions))
        texts.add(textHash, doc)
      },
      { vectors: true },
    )
  }
  await writeSegments(database, fresh, slices)

  const dead: number[] = []
  for (const { first, count } of gone) {
    statements.addGrave.run(first, count)
    for (let doc = first; doc < first + count; doc++) {
      dead.push(doc)
      // The columns of our own table.
      const { id, text_hash } = statements.keysOf.get(doc) as { id: string; text_hash: string }
      ids.remove(id, doc)
      if (dimensions !== undefined) texts.remove(text_hash, doc)
      if (slices.isOver) await slices.next()
    }
  }
  await markDeleted(path, database, dead, slices)
  await ids.write(slices)
  await texts.write(slices)
}

/** Calls back for all chunks, with their numbers and the numbers of their files. */
async function eachChunk(
  fresh: FileChanges['fresh'],
  slices: TimeSlices,
  visit: (chunk: NewChunk, doc: number, file: number) => Promise<void> | void,
  options?: { vectors: boolean },
): Promise<void> {
  for (const { file, first, chunks } of fresh) {
    let doc = first
    for await (const slice of slicesOf(chunks, options)) {
      for (const chunk of slice) {
        const visited = visit(chunk, doc++, file)
        if (visited !== undefined) await visited
        if (slices.isOver) await slices.next()
      }
    }
  }
}

/** Each is written as soon as it is full, so only one is in memory at a time. */
async function writeSegments(database: DatabaseSync, fresh: FileChanges['fresh'], slices: TimeSlices): Promise<void> {
  let builder = segmentBuilder(docsPerSegment)
  const write = async (): Promise<void> => {
    const segment = await builder.build(slices)
    builder = segmentBuilder(docsPerSegment)
    await writeSegment(database, segment, slices)
  }
  await eachChunk(fresh, slices, (chunk, doc, file) => {
    builder.add({ doc, file, text: searchedText(chunk) })
    return builder.isFull ? write() : undefined
  })
  if (builder.size > 0) await write()
}

type FileChanges = {
  /** The deleted chunks, in the order of their numbers. */
  gone: { first: number; count: number }[]
  fresh: { file: number; first: number; chunks: readonly NewChunk[] | ChunkSlices }[]
}

/** Changes the records of files, and returns what to do with their chunks. */
async function changeFiles(
  statements: ReturnType<typeof prepare>,
  { changed, removed }: Change,
  slices: TimeSlices,
): Promise<FileChanges> {
  const wanted = new Map<string, Change['changed'][number] | undefined>()
  for (const file of removed) wanted.set(file, undefined)
  for (const entry of changed) wanted.set(entry.record.file, entry)
  const gone: FileChanges['gone'] = []
  const fresh: FileChanges['fresh'] = []
  let lastDoc = (statements.lastDoc.get()?.value as number | undefined) ?? 0

  for (const file of await sortTerms(wanted.keys(), slices)) {
    const entry = wanted.get(file)
    // The columns of our own table, all of them numbers.
    const known = statements.findFile.get(file) as { number: number; first_doc: number; docs: number } | undefined
    if (known && known.docs > 0 && entry?.chunks !== 'keep') gone.push({ first: known.first_doc, count: known.docs })
    if (entry) {
      const number = statements.putFile.get(...fileValues(entry.record))?.number as number
      if (entry.chunks !== 'keep') {
        statements.placeFile.run(lastDoc + 1, entry.chunks.length, number)
        fresh.push({ file: number, first: lastDoc + 1, chunks: inOrder(entry.chunks) })
        lastDoc += entry.chunks.length
      }
    } else if (known) statements.deleteFile.run(known.number)
    if (slices.isOver) await slices.next()
  }
  statements.setLastDoc.run(lastDoc)
  return { gone: gone.sort((one, other) => one.first - other.first), fresh }
}

function inOrder(chunks: readonly NewChunk[] | ChunkSlices): readonly NewChunk[] | ChunkSlices {
  if (isSliced(chunks)) return chunks
  const isSorted = chunks.every(({ order }, place) => place === 0 || order > (chunks[place - 1]?.order ?? 0))
  return isSorted ? chunks : chunks.toSorted((one, other) => one.order - other.order)
}

function prepare(database: DatabaseSync) {
  const marks = (count: number): string => new Array(count).fill('?').join(', ')
  const update = fileColumns.map((column) => `${column} = excluded.${column}`).join(', ')
  return {
    lastDoc: database.prepare("SELECT value FROM state WHERE name = 'last-doc'"),
    setLastDoc: database.prepare("INSERT OR REPLACE INTO state VALUES ('last-doc', ?)"),
    findFile: database.prepare('SELECT number, first_doc, docs FROM files WHERE file = ?'),
    putFile: database.prepare(
      `INSERT INTO files (${fileColumns.join(', ')}) VALUES (${marks(fileColumns.length)})
       ON CONFLICT (file) DO UPDATE SET ${update} RETURNING number`,
    ),
    placeFile: database.prepare('UPDATE files SET first_doc = ?, docs = ? WHERE number = ?'),
    deleteFile: database.prepare('DELETE FROM files WHERE number = ?'),
    addChunk: database.prepare(
      `INSERT INTO chunks (doc, file, ${chunkColumns.join(', ')}) VALUES (${marks(chunkColumns.length + 2)})`,
    ),
    keysOf: database.prepare('SELECT id, text_hash FROM chunks WHERE doc = ?'),
    addGrave: database.prepare('INSERT INTO graves (first, docs) VALUES (?, ?)'),
    addVector: database.prepare('INSERT INTO vectors (doc, file, vector) VALUES (?, ?, ?)'),
  }
}

function toBytes(vector: Float32Array, dimensions: number | undefined): Uint8Array {
  if (vector.length !== dimensions) {
    const message = `The index takes vectors of ${dimensions} numbers, and this one has ${vector.length}.`
    throw new AgentKitError('invalid-argument', message)
  }
  return new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength)
}
