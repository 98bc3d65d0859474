import { stopWords } from './lance-stop-words.ts'
import { type LanceTable, textIndex } from './lance-table.ts'

/** The most rows outside of the index, or a quarter of all: a search reads these one by one, 0.1 ms each. */
const tooMany = { rows: 2000, ofIndexed: 0.25 }

/**
 * In bytes; longer words are not found. LanceDB's default of 40 leaves out the hash of a commit, and Russian words of 20
 * letters.
 */
const longestToken = 256

/** Makes the index that searches of words use, of all rows there are. */
export async function createTextIndex({ lance, table }: Pick<LanceTable, 'lance' | 'table'>): Promise<void> {
  const config = lance.lancedb.Index.fts({
    baseTokenizer: 'icu/split',
    maxTokenLength: longestToken,
    withPosition: false,
    lowercase: true,
    asciiFolding: true,
    stem: true,
    removeStopWords: true,
    customStopWords: [...stopWords],
  })
  await table.createIndex('text', { config })
}

/** Indexes rows where many are in no index. Of fewer, a search reads them as they are, until `maintain`. */
export async function indexManyRows(at: LanceTable): Promise<void> {
  const { numIndexedRows, numUnindexedRows } = await textIndexStats(at)
  if (numUnindexedRows <= Math.max(tooMany.rows, numIndexedRows * tooMany.ofIndexed)) return
  await at.guard('index words', async () => {
    if (numIndexedRows === 0) await createTextIndex(at)
    else await at.table.optimize()
  })
}

/** How many rows are in the index of words, and how many are not. */
export async function textIndexStats({
  table,
}: Pick<LanceTable, 'table'>): Promise<{ numIndexedRows: number; numUnindexedRows: number }> {
  return (await table.indexStats(textIndex)) ?? { numIndexedRows: 0, numUnindexedRows: await table.countRows() }
}
