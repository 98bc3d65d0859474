import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { scriptedModel } from '@agentkit/testing'
import { Agent } from 'agentkit'
import { afterEach, expect, it, vi } from 'vitest'
import { answerOf } from './resumable-client.ts'

afterEach(() => {
  vi.unstubAllGlobals()
})

it('reads the answer of a run that began before', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'agentkit-client-'))
  const model = scriptedModel([{ text: 'One two three.', delayMs: 20 }])
  const agent = new Agent({ name: 'Test', functions: [], model, sessions: join(folder, 'sessions.db') })
  const server = await agent.run({ port: 0, log: () => {} })
  const chat = { user_id: 'ada', session_id: 'first', messages: [{ role: 'user', content: 'Hi' }], resumable: true }
  const response = await fetch(`${server.url}/api/v1/chat_stream`, {
    method: 'POST',
    body: JSON.stringify(chat),
    headers: { 'content-type': 'application/json' },
  })
  await response.body?.cancel()
  expect(await answerOf(server.url, response.headers.get('x-run-id') ?? '', 'ada')).toBe('One two three.')
  await server.close()
  await agent.close()
  rmSync(folder, { recursive: true, force: true })
})

it('reads an event again that was cut, and one with a separator of lines that JSON does not escape', async () => {
  const said = `event: text-delta\nid: 1\ndata: ${JSON.stringify({ type: 'text-delta', text: 'One\u2028two' })}\n\n`
  const end = `event: run-end\nid: 2\ndata: ${JSON.stringify({ type: 'run-end', text: 'One\u2028two' })}\n\n`
  const bodies = [said + end.slice(0, -20), end]
  const places: string[] = []
  vi.stubGlobal('fetch', async (place: string) => {
    places.push(new URL(place).searchParams.get('after') ?? '')
    return new Response(bodies.shift())
  })
  expect(await answerOf('http://127.0.0.1', 'run_1', 'ada')).toBe('One\u2028two')
  expect(places).toEqual(['0', '1'])
})
