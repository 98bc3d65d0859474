import type { AgentEvent } from '@agentkit/core'
import fc from 'fast-check'
import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import type { EncodeEvent } from '../../answer/encode-event.ts'
import { anyEvents } from '../common/__fixtures__/any-events.ts'
import { AnswerReader } from '../common/answer-reader.ts'
import { clients } from './__fixtures__/openai-clients.ts'
import { completionsEncoder } from './completions-encoder.ts'
import { ResponseReader } from './response-reader.ts'
import { endedState, responsesEncoder } from './responses-encoder.ts'

// Whatever a run emits, the clients' own readers accept what is sent of it, and read the text that is read without a stream.

const isFailed = (events: AgentEvent[]): boolean => 'error' in (events.at(-1) ?? {})
const hasRestart = (events: AgentEvent[]): boolean => events.some(({ type }) => type === 'step-restart')

/** A server that sends these events, whatever it is asked. */
function appOf(events: AgentEvent[], encode: EncodeEvent): { app: Hono; stream: string } {
  const stream = events.map(encode).join('')
  const headers = { 'content-type': 'text/event-stream' }
  return { stream, app: new Hono().post('*', () => new Response(`retry: 2000\n\n${stream}`, { headers })) }
}

const head = { model: 'team', created: 1, metadata: {} }

describe.each(clients)('the client openai %i', (_, connect) => {
  it('reads a completion of any events', async () => {
    await fc.assert(
      fc.asyncProperty(anyEvents, async (events) => {
        const { app, stream } = appOf(events, completionsEncoder({ ...head, includeUsage: true }))
        expect(stream).not.toContain('secret')
        const request = connect(app).chat.completions.stream({ model: 'team', messages: [] })
        if (isFailed(events)) {
          await expect(request.finalChatCompletion()).rejects.toMatchObject({ error: { type: 'server_error' } })
          return
        }
        const completion = await request.finalChatCompletion()
        const reader = new AnswerReader({ canDrop: true })
        for (const event of events) reader.read(event)
        if (!hasRestart(events)) expect(completion.choices[0]?.message.content ?? '').toBe(reader.text)
      }),
      { numRuns: 200 },
    )
  })

  it('reads a response of any events, whose items are opened and closed in order', async () => {
    await fc.assert(
      fc.asyncProperty(anyEvents, async (events) => {
        const reader = new ResponseReader('team')
        const { app, stream } = appOf(events, responsesEncoder({ head, reader: new ResponseReader('team') }))
        expect(stream).not.toContain('secret')
        for (const event of events) reader.read(event)
        const whole = endedState(reader)
        const open = new Set<number>()
        let added = 0
        const request = connect(app).responses.stream({ model: 'team', input: '' })
        for await (const event of request) {
          if (event.type === 'response.output_item.added') {
            expect(event.output_index).toBe(added++)
            open.add(event.output_index)
          } else if (event.type === 'response.output_item.done') expect(open.delete(event.output_index)).toBe(true)
          else if ('output_index' in event) expect(open.has(event.output_index)).toBe(true)
        }
        expect(open.size).toBe(0)
        const response = await request.finalResponse()
        expect(response.status).toBe(whole.status)
        expect(response.output.map(({ id }) => id)).toEqual(whole.output.map(({ id }) => id))
        expect(response.output_text).toBe(textIn(whole.output))
      }),
      { numRuns: 200 },
    )
  })
})

function textIn(output: readonly object[]): string {
  const parts = output.flatMap((item) => ('content' in item && Array.isArray(item.content) ? item.content : []))
  return parts.map((part: { text: string }) => part.text).join('')
}
