import { readSample } from './lance-lookup.ts'
import { readMeta, writeMeta } from './lance-meta.ts'
import { searchEachVector, searchVector } from './lance-search.ts'
import { areChunks, type LanceTable, vectorIndex } from './lance-table.ts'

/** The most numbers with which comparing with each vector takes at most 100 ms, and finds all. */
const comparedOneByOne = 60e6

/** An index has to find this share of the `depth` nearest vectors, measured by this number of `searches`. */
const recall = { least: 0.95, searches: 20, depth: 10 }

/** The bits of each number of a vector. With 1, LanceDB's default, the recall is .85 if vectors are spread evenly. */
const bits = 4

/**
 * Builds an index of vectors when their number requires one, and again when it has doubled. The index is kept only if
 * it finds the results of a comparison with each vector.
 */
export async function keepVectorIndex(
  at: LanceTable,
  { from = comparedOneByOne, least = recall.least }: { from?: number; least?: number } = {},
): Promise<void> {
  const { table, lance, dimensions, guard } = at
  if (dimensions === undefined) return
  const rows = await table.countRows(areChunks)
  const meta = await readMeta(at)
  if (rows * dimensions <= from || rows < 2 * (meta.vectorIndex?.rows ?? 0)) return

  await guard('index vectors', () =>
    table.createIndex('vector', { config: lance.lancedb.Index.ivfRq({ distanceType: 'cosine', numBits: bits }) }),
  )
  const found = await measureRecall(at)
  if (found < least) await guard('drop an index', () => table.dropIndex(vectorIndex))
  await writeMeta(at, { ...meta, vectorIndex: { rows, recall: found } })
}

/** The part of the nearest vectors that the index finds. */
async function measureRecall(at: LanceTable): Promise<number> {
  let wanted = 0
  let found = 0
  for (const { vector } of await readSample(at, recall.searches)) {
    if (vector === undefined) continue
    const options = { limit: recall.depth, filter: {} }
    const nearest = await searchEachVector(at, vector, recall.depth)
    // Any of several vectors that are equally near will do.
    const worst = (nearest.at(-1)?.score ?? 0) - 1e-5
    wanted += nearest.length
    found += (await searchVector(at, vector, options)).filter(({ score }) => score >= worst).length
  }
  return wanted === 0 ? 1 : found / wanted
}
