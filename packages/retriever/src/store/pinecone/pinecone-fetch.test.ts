import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createGzip } from 'node:zlib'
import { expect, it } from 'vitest'
import { pineconeFetch } from './pinecone-fetch.ts'

it('reads no answer without an end, however short it is on the wire', async () => {
  const zeros = Buffer.alloc(1_000_000)
  let isClosed = (): void => {}
  const closed = new Promise<void>((resolve) => {
    isClosed = resolve
  })
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
    const gzip = createGzip()
    const write = (): void => {
      while (!response.destroyed) if (!gzip.write(zeros)) return void gzip.once('drain', write)
    }
    gzip.pipe(response)
    write()
    response.once('close', isClosed)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const fetch = pineconeFetch(new AbortController().signal, { apiKey: 'key', timeoutMs: 60_000 })
  try {
    const failure = await fetch(`http://127.0.0.1:${port}/`).then(String, ({ cause }) => cause)
    expect(failure).toMatchObject({ code: 'malformed-stream', provider: 'pinecone' })
    await closed
  } finally {
    server.closeAllConnections()
    server.close()
  }
})
