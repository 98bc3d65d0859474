import type { AgentEvent, AgentEventBody } from '@agentkit/core'
import fc from 'fast-check'
import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import type { EncodeEvent } from '../../answer/encode-event.ts'
import { AnswerReader } from '../common/answer-reader.ts'
import { clients } from './__fixtures__/openai-clients.ts'
import { completionsEncoder } from './completions-encoder.ts'
import { ResponseReader } from './response-reader.ts'
import { endedState, responsesEncoder } from './responses-encoder.ts'

// Whatever a run emits, the clients' own readers accept what is sent of it, and read the text that is read without a stream.

const error = { code: 'network', message: 'secret', retryable: true } as const
const text = fc.string({ minLength: 1 })
const callId = fc.constantFrom('c1', 'c2', 'c3')
const source = { file: 'a.md', start: 0, end: 1, quote: 'a', chunkId: 'k', score: { fused: 1 } }
const body: fc.Arbitrary<AgentEventBody> = fc.oneof(
  text.map((delta) => ({ type: 'text-delta' as const, text: delta })),
  text.map((delta) => ({ type: 'reasoning-delta' as const, text: delta })),
  fc.nat(9).map((step) => ({ type: 'step-start' as const, step })),
  fc.nat(9).map((step) => ({ type: 'step-restart' as const, step, error })),
  fc.nat(9).map((step) => ({ type: 'step-end' as const, step, model: 'm', finishReason: 'stop' as const, usage: {} })),
  fc.record({ callId, input: fc.jsonValue() }).map((call) => ({ type: 'tool-call' as const, name: 'look', ...call })),
  fc
    .record({ callId, output: fc.jsonValue(), isError: fc.boolean() })
    .map((result) => ({ type: 'tool-result' as const, name: 'look', durationMs: 1, ...result })),
  fc.record({ callId, input: fc.jsonValue() }).map((call) => ({
    ...{ type: 'approval-request' as const, approvalId: `apr_${call.callId}`, name: 'look', kind: 'approval' as const },
    ...call,
  })),
  fc.constant({ type: 'source' as const, source }),
  fc.constant({ type: 'agent-start' as const, name: 'Member' }),
  fc.constant({ type: 'handoff' as const, to: 'member' }),
  fc.constant({ type: 'model-fallback' as const, from: 'a', to: 'b', error }),
)
const reasons = ['stop', 'length', 'content-filter', 'max-steps', 'budget', 'no-progress', 'approval', 'error'] as const
const path = fc.constantFrom<string[][]>(['team'], ['team'], ['team', 'member'])
const runs = fc
  .record({
    bodies: fc.array(fc.tuple(body, path), { maxLength: 30 }),
    finishReason: fc.constantFrom(...reasons),
    answer: fc.string(),
  })
  .map(({ bodies, finishReason, answer }): AgentEvent[] => {
    const end = { type: 'run-end' as const, finishReason, text: answer, usage: { inputTokens: 1 } }
    const place = (index: number) => ({ seq: index + 1, runId: 'run_1' })
    return [
      ...bodies.map(([event, at], index) => ({ ...place(index), path: at, ...event })),
      { ...place(bodies.length), path: ['team'], ...end, ...(finishReason === 'error' && { error }) },
    ]
  })
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
      fc.asyncProperty(runs, async (events) => {
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
      fc.asyncProperty(runs, async (events) => {
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
