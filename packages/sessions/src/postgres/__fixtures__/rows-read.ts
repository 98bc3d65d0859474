import { openDatabase, type Query } from '../database/database.ts'

type Node = { 'Actual Rows': number; 'Rows Removed by Filter'?: number; Plans?: Node[] }
type Explained = { 'QUERY PLAN': { Plan: Node }[] }

/** Runs the statements of `work`, which receive no rows. @returns the most rows that one of them reads */
export async function mostRowsRead(url: string, work: (query: Query) => Promise<unknown>): Promise<number> {
  const database = openDatabase(
    { connectionString: url, schema: 'agentkit', poolSize: 1, retryMs: 1_000 },
    async () => {},
  )
  let mostRows = 0
  await work(async (text, values) => {
    const explained = await database.query<Explained>(`EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, values)
    mostRows = Math.max(mostRows, ...(explained[0]?.['QUERY PLAN'].map(({ Plan }) => rowsOf(Plan)) ?? []))
    return []
  })
  await database.close()
  return mostRows
}

/** The rows that a plan has read. */
function rowsOf({ 'Actual Rows': rows, 'Rows Removed by Filter': removed = 0, Plans: below = [] }: Node): number {
  return rows + removed + below.reduce((sum, node) => sum + rowsOf(node), 0)
}
