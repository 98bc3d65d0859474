import { createServer } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { httpFetch } from './http-fetch.ts'

const server = createServer((socket) => {
  socket.on('error', () => {})
  socket.once('data', () => socket.end('HTTP/1.1 999 No\r\ncontent-length: 2\r\nconnection: close\r\n\r\nno'))
})
let url = ''
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  url = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/mcp`
})
afterAll(() => void server.close())

it('takes a status that no Response has for a failure of the server, which would end the process otherwise', async () => {
  const response = await httpFetch(url, { headers: { accept: 'text/event-stream' } })
  expect([response.status, await response.text()]).toEqual([502, 'no'])
})
