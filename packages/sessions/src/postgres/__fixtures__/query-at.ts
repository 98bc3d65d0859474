import pg from 'pg'

/** Runs statements on a connection of their own. @returns the rows of the last one */
export async function queryAt(url: string, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  try {
    // Several statements have several results.
    const results = [await client.query(text)].flat()
    return results.at(-1)?.rows ?? []
  } finally {
    await client.end()
  }
}
