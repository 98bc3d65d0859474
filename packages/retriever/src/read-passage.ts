import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { realpath, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Passage } from '@agentkit/core'
import type { Chunk } from './data/chunk.ts'
import type { FileRecord } from './data/file-record.ts'
import type { ParsePool } from './parse/pool/parse-pool.ts'
import type { Store } from './store/store.ts'
import { isInside } from './sync/scan.ts'

export type ReadPassageOptions = {
  folder: string
  pool: ParsePool
  /** The longest text before and after the quote, in characters. */
  context: number
  maxFileBytes: number
  signal: AbortSignal
}

/** A longer text is not extracted for a passage: the neighbours of the passage in the index are used instead. */
const extractedCharacters = 1_000_000
/** The number of neighbours on each side. */
const neighbours = 16

/**
 * A passage with the text around it: from the file itself if it is unchanged since it was indexed, else from the index.
 */
export async function readPassage(store: Store, chunk: Chunk, options: ReadPassageOptions): Promise<Passage> {
  const { file, page, row, heading, start, end, quote } = chunk
  const [record] = await store.files({ file })
  const path = record && !record.stale ? await currentPath(record, options) : undefined
  const isShort = record !== undefined && record.characters <= extractedCharacters
  const extracted = path !== undefined && isShort ? await textAround(path, chunk, options) : undefined
  return {
    file,
    ...(page !== undefined && { page }),
    ...(row !== undefined && { row }),
    ...(heading !== undefined && { heading }),
    start,
    end,
    quote,
    ...(extracted ?? (await indexedAround(store, chunk, options.context))),
    ...(path === undefined && { stale: true as const }),
  }
}

/** The path of a file; undefined if its bytes have changed since the record was made. */
async function currentPath(
  { file, size, mtimeMs, hash }: FileRecord,
  { folder, signal }: ReadPassageOptions,
): Promise<string | undefined> {
  try {
    const path = await realpath(join(folder, file))
    if (!isInside(await realpath(folder), path)) return undefined
    const stats = await stat(path)
    if (!stats.isFile() || stats.size !== size) return undefined
    // A record of a file that had just been written has no time that could be compared.
    if (Math.max(stats.mtimeMs, stats.ctimeMs) === mtimeMs) return path
    return (await hashOf(path, signal)) === hash ? path : undefined
  } catch {
    if (signal.aborted) throw signal.reason
    return undefined
  }
}

async function hashOf(path: string, signal: AbortSignal): Promise<string> {
  const sha256 = createHash('sha256')
  for await (const bytes of createReadStream(path, { signal })) sha256.update(bytes)
  return sha256.digest('hex').slice(0, 32)
}

type Around = Pick<Passage, 'before' | 'after'>

async function textAround(
  path: string,
  { file, start, end, quote }: Chunk,
  { pool, context, maxFileBytes, signal }: ReadPassageOptions,
): Promise<Around | undefined> {
  const extracted = await pool.extract(path, { file, maxBytes: maxFileBytes, signal }).catch(() => undefined)
  if (signal.aborted) throw signal.reason
  if (extracted?.text.slice(start, end) !== quote) return undefined
  const { text } = extracted
  return { before: lastOf(text.slice(0, start), context), after: firstOf(text.slice(end), context) }
}

/** The neighbours of a passage; white space or markup between them becomes a space or empty lines. */
async function indexedAround(store: Store, { file, order, start, end }: Chunk, context: number): Promise<Around> {
  const from = Math.max(0, order - neighbours)
  const chunks = await store.chunksOf(file, { from, limit: order - from + 1 + neighbours })
  let before = ''
  let upTo = start
  for (const one of chunks.filter((chunk) => chunk.order < order).reverse()) {
    before = one.quote + gap(upTo - one.end) + before
    upTo = one.start
    if (before.length >= context) break
  }
  let after = ''
  let since = end
  for (const one of chunks.filter((chunk) => chunk.order > order)) {
    if (after.length >= context) break
    after += gap(one.start - since) + one.quote
    since = one.end
  }
  return { before: lastOf(before, context), after: firstOf(after, context) }
}

function gap(characters: number): string {
  return characters === 1 ? ' ' : '\n'.repeat(Math.min(Math.max(characters, 0), 2))
}

/** Does not cut a character of two UTF-16 units. */
function firstOf(text: string, length: number): string {
  return text.slice(0, /[\ud800-\udbff]/.test(text.charAt(length - 1)) ? length - 1 : length)
}

function lastOf(text: string, length: number): string {
  const from = Math.max(0, text.length - length)
  return text.slice(/[\udc00-\udfff]/.test(text.charAt(from)) && from > 0 ? from + 1 : from)
}
