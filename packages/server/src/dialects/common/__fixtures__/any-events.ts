import type { AgentEvent, AgentEventBody } from '@agentkit/core'
import fc from 'fast-check'

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
/** The events of one run of a swarm, in an order that no run has to have. Errors have the word "secret". */
export const anyEvents: fc.Arbitrary<AgentEvent[]> = fc
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
