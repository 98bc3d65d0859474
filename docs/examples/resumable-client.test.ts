import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { scriptedModel } from '@agentkit/testing'
import { Agent } from 'agentkit'
import { expect, it } from 'vitest'
import { answerOf } from './resumable-client.ts'

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
