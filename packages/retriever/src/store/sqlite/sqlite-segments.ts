import type { DatabaseSync } from 'node:sqlite'
import { crc32 } from 'node:zlib'
import { AgentKitError } from '@agentkit/core'
import { decodeSegment, encodeSegment, type Segment } from '../../bm25/segment.ts'
import type { TimeSlices } from '../../util/time-slices.ts'
import { damagedFile } from './sqlite-errors.ts'

/** A segment's row. */
export type SegmentRow = {
  number: number
  /** The first and the last of its documents. */
  first: number
  last: number
  docs: number
  bytes: number
  checksum: number
  /** One bit per deleted document; empty when none is deleted. */
  dead: Uint8Array
}

/** Large values block SQLite, so a segment is written in parts. */
const partBytes = 1 << 20

/** All segments, in the order of their documents. */
export function listSegments(database: DatabaseSync): SegmentRow[] {
  // The columns of our own table.
  return database.prepare('SELECT * FROM segments ORDER BY first').all() as unknown as SegmentRow[]
}

/** Reads a segment; undefined when it is deleted. */
export async function readSegment(
  path: string,
  database: DatabaseSync,
  { number, bytes: size, checksum }: SegmentRow,
  slices: TimeSlices,
): Promise<Segment | undefined> {
  const bytes = new Uint8Array(size)
  const part = database.prepare('SELECT bytes FROM segment_parts WHERE segment = ? AND part = ?')
  for (let at = 0; at < size; at += partBytes) {
    const found = part.get(number, at / partBytes)?.bytes
    if (!(found instanceof Uint8Array)) {
      const isGone = database.prepare('SELECT 1 FROM segments WHERE number = ?').get(number) === undefined
      if (isGone) return undefined
      throw new AgentKitError('storage', damagedFile(path))
    }
    bytes.set(found, at)
    if (slices.isOver) await slices.next()
  }
  const segment = crc32(bytes) === checksum ? decodeSegment(bytes) : undefined
  if (!segment) throw new AgentKitError('storage', damagedFile(path))
  return segment
}

/** Writes a segment, within the open transaction. */
export async function writeSegment(database: DatabaseSync, segment: Segment, slices: TimeSlices): Promise<void> {
  const { docs } = segment
  const bytes = encodeSegment(segment)
  const { lastInsertRowid } = database
    .prepare('INSERT INTO segments (first, last, docs, bytes, checksum, dead) VALUES (?, ?, ?, ?, ?, ?)')
    .run(docs[0] ?? 0, docs.at(-1) ?? 0, docs.length, bytes.length, crc32(bytes), new Uint8Array())
  const part = database.prepare('INSERT INTO segment_parts (segment, part, bytes) VALUES (?, ?, ?)')
  for (let at = 0; at < bytes.length; at += partBytes) {
    part.run(lastInsertRowid, at / partBytes, bytes.subarray(at, at + partBytes))
    if (slices.isOver) await slices.next()
  }
}

/** Deletes a segment, within the open transaction. */
export async function deleteSegment(database: DatabaseSync, row: SegmentRow, slices: TimeSlices): Promise<void> {
  const part = database.prepare('DELETE FROM segment_parts WHERE segment = ? AND part = ?')
  for (let at = 0; at < row.bytes; at += partBytes) {
    part.run(row.number, at / partBytes)
    if (slices.isOver) await slices.next()
  }
  database.prepare('DELETE FROM segments WHERE number = ?').run(row.number)
}

/** Marks documents as deleted, within the open transaction. Segments without any others are removed. */
export async function markDeleted(
  path: string,
  database: DatabaseSync,
  docs: readonly number[],
  slices: TimeSlices,
): Promise<void> {
  if (docs.length === 0) return
  const dead = Int32Array.from(docs).sort()
  const setDead = database.prepare('UPDATE segments SET dead = ? WHERE number = ?')
  let at = 0
  for (const row of listSegments(database)) {
    const from = at
    while (at < dead.length && (dead[at] ?? 0) <= row.last) at++
    if (at === from) continue
    const bits = deadBits(row, docsOf(path, database, row), dead.subarray(from, at))
    if (countBits(bits) === row.docs) await deleteSegment(database, row, slices)
    else setDead.run(bits, row.number)
    if (slices.isOver) await slices.next()
  }
}

/** The numbers of a segment's documents, which are at its start. */
function docsOf(path: string, database: DatabaseSync, { number, docs }: SegmentRow): Int32Array {
  const found = database
    .prepare('SELECT substr(bytes, 17, ?) AS docs FROM segment_parts WHERE segment = ? AND part = 0')
    .get(docs * 4, number)?.docs
  if (!(found instanceof Uint8Array)) throw new AgentKitError('storage', damagedFile(path))
  return new Int32Array(found.buffer, found.byteOffset, docs)
}

/** The deleted documents of a segment, a bit each. @param numbers of all its documents @param deleted those to add */
function deadBits({ docs, dead }: SegmentRow, numbers: Int32Array, deleted: Int32Array): Uint8Array {
  const bits = new Uint8Array(Math.ceil(docs / 8))
  bits.set(dead)
  let place = 0
  for (const doc of deleted) {
    while (place < docs && (numbers[place] ?? 0) < doc) place++
    if (numbers[place] === doc) bits[place >> 3] = (bits[place >> 3] ?? 0) | (1 << (place & 7))
  }
  return bits
}

export function countBits(bits: Uint8Array): number {
  let count = 0
  for (let byte of bits) for (; byte !== 0; byte &= byte - 1) count++
  return count
}
