import { wordsOfError } from './lance-error.ts'
import { readFiles, readSample } from './lance-lookup.ts'
import { readMeta } from './lance-meta.ts'
import { searchText } from './lance-search.ts'
import { areChunks, type LanceTable, textIndex } from './lance-table.ts'

/** The faults of a table, one sentence each. Reads the whole table except the vectors. */
export async function verifyTable(at: LanceTable): Promise<string[]> {
  try {
    return await at.guard('read the index', async () => [...(await countedWrong(at)), ...(await indexedWrong(at))])
  } catch (error) {
    return [wordsOfError(error)]
  }
}

async function countedWrong(at: LanceTable): Promise<string[]> {
  const problems: string[] = []
  const ids = new Set<string>()
  const counts = new Map<string, number>()
  const query = at.table.query().where(areChunks).select(['id', 'file', 'text', 'hash'])
  for await (const batch of query) {
    for (const row of batch) {
      const { id, file, text, hash } = row.toJSON() as Record<'id' | 'file' | 'text' | 'hash', string | null>
      if (ids.has(`${id}`)) problems.push(`The chunk ${id} of ${file} is there twice.`)
      if (text === null || hash === null) problems.push(`The chunk ${id} of ${file} has lost its text.`)
      ids.add(`${id}`)
      counts.set(`${file}`, (counts.get(`${file}`) ?? 0) + 1)
    }
  }
  const known = new Set<string>()
  for (const { file, chunks } of await readFiles(at)) {
    const count = counts.get(file) ?? 0
    if (known.has(file)) problems.push(`The record of ${file} is there twice.`)
    if (count !== chunks) problems.push(`${file} should have ${chunks} chunks, but has ${count}.`)
    known.add(file)
  }
  for (const file of counts.keys()) if (!known.has(file)) problems.push(`${file} has chunks, but no record.`)
  return problems
}

async function indexedWrong(at: LanceTable): Promise<string[]> {
  const problems: string[] = []
  const stats = await at.table.indexStats(textIndex)
  const rows = await at.table.countRows()
  const covered = (stats?.numIndexedRows ?? 0) + (stats?.numUnindexedRows ?? 0)
  if (stats === undefined) problems.push('The index of words is missing.')
  else if (covered !== rows) problems.push(`The index of words knows of ${covered} rows, but there are ${rows}.`)
  // A search reads the files of the index, and fails where one is damaged.
  const [chunk] = await readSample(at, 1)
  if (chunk) await searchText(at, chunk.quote.slice(0, 1_000), { limit: 1, filter: {} })
  const { dimensions } = await readMeta(at)
  if (dimensions !== undefined && dimensions !== at.dimensions) {
    problems.push(`Its embedder makes ${dimensions} numbers of a text, but the table keeps ${at.dimensions ?? 'none'}.`)
  }
  return problems
}
