import { tool } from '@agentkit/core'
import { expect, it } from 'vitest'
import { storedAgents } from '../../__fixtures__/stored-agent.ts'
import { createApp } from '../../create-app.ts'
import { modern, post } from './__fixtures__/mcp-clients.ts'

// Clients and proxies end a connection that has had no byte for some minutes.

const make = storedAgents()
const params = { name: 'ask_agent', arguments: { message: 'Hi' } }

it.each([
  ['2025', post],
  ['2026-07-28', modern],
] as const)('an answer of the revision %s that is late begins without it', async (_, send) => {
  const { promise, resolve } = Promise.withResolvers<string>()
  const wait = tool({ name: 'wait', description: 'Waits.', input: { type: 'object' }, execute: () => promise })
  const { agent } = make([{ toolCalls: [{ name: 'wait' }] }, 'Done.'], { functions: [wait] })
  const app = createApp(agent, { log: () => {}, dialects: ['mcp'], limits: { heartbeatMs: 5 } })
  const response = await app.request('/mcp', send('tools/call', params))
  expect(response.headers.get('content-type')).toBe('text/event-stream')
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  expect((await reader?.read())?.value).toBe(': keepalive\n\n')
  resolve('There.')
  let rest = ''
  for (let next = await reader?.read(); next?.value !== undefined; next = await reader?.read()) rest += next.value
  expect(rest).toContain('"answer":"Done."')
})

it('an answer of the revision 2026-07-28 that comes at once is JSON', async () => {
  const app = createApp(make(['Done.']).agent, { log: () => {}, dialects: ['mcp'] })
  const response = await app.request('/mcp', modern('tools/call', params))
  expect(response.headers.get('content-type')).toBe('application/json')
  expect(await response.json()).toMatchObject({ result: { structuredContent: { answer: 'Done.' } } })
})
