import { topList } from '../../bm25/top-list.ts'
import { timeSlices } from '../../util/time-slices.ts'
import type { IndexView, SQLiteReader } from './sqlite-reader.ts'

/** Vectors in memory, searched exhaustively. */
export interface VectorScan {
  /**
   * The documents of the view with the largest cosine.
   * @param allowed 1 for each file number whose documents may be found; absent, all
   */
  nearest(
    view: IndexView,
    query: Float32Array,
    options: { limit: number; allowed: Uint8Array | undefined },
  ): Promise<{ doc: number; score: number }[]>
}

/** Consecutive vectors, in the order of their documents. */
type Block = { docs: Int32Array; files: Int32Array; numbers: Float32Array; count: number; isLive: Uint8Array }

const blockSize = 1_024
/** The number of vectors that are read, or compared, between two checks of the clock. */
const handful = 128

/** Loads vectors with the first search, and new ones later. */
export function vectorScan(reader: SQLiteReader, dimensions: number): VectorScan {
  let blocks: Block[] = []
  let lastDoc = 0
  let version: number | undefined
  let preparing: Promise<void> = Promise.resolve()

  const newBlock = (): Block => ({
    docs: new Int32Array(blockSize),
    files: new Int32Array(blockSize),
    numbers: new Float32Array(blockSize * dimensions),
    count: 0,
    isLive: new Uint8Array(blockSize),
  })

  const add = (doc: number, file: number, bytes: Uint8Array): void => {
    let block = blocks.at(-1)
    if (!block || block.count === blockSize) {
      block = newBlock()
      blocks.push(block)
    }
    block.docs[block.count] = doc
    block.files[block.count] = file
    const target = new Uint8Array(block.numbers.buffer, block.count * dimensions * 4, dimensions * 4)
    target.set(bytes.subarray(0, target.length))
    block.count++
    lastDoc = doc
  }

  const loadNew = async (): Promise<void> => {
    const slices = timeSlices()
    for (;;) {
      const count = await reader.read((database) => {
        const rows = database
          .prepare('SELECT doc, file, vector FROM vectors WHERE doc > ? ORDER BY doc LIMIT ?')
          .all(lastDoc, handful)
        // The columns of our own table.
        for (const { doc, file, vector } of rows) add(doc as number, file as number, vector as Uint8Array)
        return rows.length
      })
      if (count < handful) return
      if (slices.isOver) await slices.next()
    }
  }

  /** Marks the live documents of the view, and returns whether most are deleted. Both are in the order of documents. */
  const markLive = (view: IndexView): boolean => {
    const living = livingDocs(view)
    let next = living.next()
    let count = 0
    let dead = 0
    for (const block of blocks) {
      for (let at = 0; at < block.count; at++) {
        const doc = block.docs[at] ?? 0
        while (!next.done && next.value < doc) next = living.next()
        const isLive = !next.done && next.value === doc
        block.isLive[at] = isLive ? 1 : 0
        count++
        if (!isLive) dead++
      }
    }
    return dead > count / 2 && dead > blockSize
  }

  const prepare = async (view: IndexView): Promise<void> => {
    await loadNew()
    if (view.version === version) return
    version = view.version
    if (!markLive(view)) return
    blocks = []
    lastDoc = 0
    await loadNew()
    markLive(view)
  }

  return {
    async nearest(view, query, { limit, allowed }) {
      preparing = preparing.catch(() => {}).then(() => prepare(view))
      await preparing
      const slices = timeSlices()
      const best = topList(limit)
      for (const { docs, files, numbers, count, isLive } of blocks) {
        for (let at = 0; at < count; at++) {
          if (at % handful === 0 && slices.isOver) await slices.next()
          if (isLive[at] !== 1 || (allowed && allowed[files[at] ?? 0] !== 1)) continue
          best.offer(docs[at] ?? 0, dotProduct(query, numbers, at * dimensions))
        }
      }
      return best.end()
    },
  }
}

function* livingDocs({ segments }: IndexView): Generator<number, undefined> {
  for (const { segment, isDead } of segments) {
    for (const [number, doc] of segment.docs.entries()) if (isDead?.[number] !== 1) yield doc
  }
}

/** Four partial sums, which the CPU computes in parallel. */
function dotProduct(query: Float32Array, numbers: Float32Array, from: number): number {
  const dimensions = query.length
  const even = dimensions - (dimensions % 4)
  let one = 0
  let two = 0
  let three = 0
  let four = 0
  let at = 0
  for (; at < even; at += 4) {
    one += (query[at] ?? 0) * (numbers[from + at] ?? 0)
    two += (query[at + 1] ?? 0) * (numbers[from + at + 1] ?? 0)
    three += (query[at + 2] ?? 0) * (numbers[from + at + 2] ?? 0)
    four += (query[at + 3] ?? 0) * (numbers[from + at + 3] ?? 0)
  }
  for (; at < dimensions; at++) one += (query[at] ?? 0) * (numbers[from + at] ?? 0)
  return one + two + three + four
}
