import { Agent, type AgentEvent } from '@agentkit/core'
import { type ScriptedTurn, scriptedModel } from '@agentkit/testing'
import { describe, expect, it } from 'vitest'
import { chatRequest, validFields } from '../__fixtures__/requests.ts'
import { createApp } from '../create-app.ts'

const output = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
const answer = '{"city":"Oslo in Norway"}'

function appOf(...inputs: object[]) {
  const turns = inputs.map((input): ScriptedTurn => {
    return { toolCalls: [{ name: 'final_answer', input: input as Record<string, string> }], deltas: 8 }
  })
  const agent = new Agent({ name: 'Guide', functions: [], model: scriptedModel(turns), output })
  return createApp(agent, { dialects: ['ui', 'agui'], log: () => {} })
}

async function streamed(app: ReturnType<typeof appOf>): Promise<AgentEvent[]> {
  const request = chatRequest(validFields, { accept: 'text/event-stream' })
  const body = await (await app.request('/api/v1/chat', request)).text()
  return [...body.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data ?? ''))
}

const textOf = (events: readonly AgentEvent[]): string =>
  events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('')

describe('an answer that a tool takes', () => {
  it('is streamed while it is written, and is the one that is not streamed', async () => {
    const events = await streamed(appOf(JSON.parse(answer)))
    expect(events.filter(({ type }) => type === 'text-delta').length).toBeGreaterThan(5)
    expect(textOf(events)).toBe(answer)
    const whole = chatRequest(validFields, { accept: 'application/json' })
    const response = await appOf(JSON.parse(answer)).request('/api/v1/chat', whole)
    expect(await response.json()).toMatchObject({ answer })
  })

  it('is withdrawn where it does not fit', async () => {
    const events = await streamed(appOf({ town: 'Oslo' }, JSON.parse(answer)))
    const restarted = events.findIndex(({ type }) => type === 'step-restart')
    expect(textOf(events.slice(0, restarted))).toBe('{"town":"Oslo"}')
    expect(textOf(events.slice(restarted))).toBe(answer)
  })

  it.each(['ui', 'agui'])('is streamed to clients of /%s too', async (dialect) => {
    const message = { id: 'm', role: 'user', content: 'Hi', parts: [{ type: 'text', text: 'Hi' }] }
    const body =
      dialect === 'ui'
        ? { id: 's', messages: [message] }
        : { threadId: 's', runId: 'r', messages: [message], tools: [], context: [], state: {}, forwardedProps: {} }
    const request = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
    const response = await appOf(JSON.parse(answer)).request(dialect === 'ui' ? '/ui/chat' : '/agui', request)
    const deltas = [...(await response.text()).matchAll(/"delta":("(?:[^"\\]|\\.)*")/g)]
    expect(deltas.length).toBeGreaterThan(5)
    expect(deltas.map(([, delta]) => JSON.parse(delta ?? '""')).join('')).toBe(answer)
  })
})
