import { finishReasonOf, pieces, toWireCalls, usageOf } from '../answer-parts.ts'
import type { FakeAnswer } from '../script.ts'
import type { Frame, MakeId, WireAnswer } from '../wire-spec.ts'
import { streamError } from './error-body.ts'

type GroqRequest = {
  model: string
  reasoning_format?: 'parsed' | 'raw' | 'hidden' | null
  include_reasoning?: boolean | null
}

const finishReasons = { stop: 'stop', 'tool-calls': 'tool_calls', length: 'length', 'content-filter': 'content_filter' }

/** An answer in the format of Groq's `/openai/v1/chat/completions`: all calls whole and at once, and always usage. */
export function groqAnswer(answer: FakeAnswer, request: GroqRequest, makeId: MakeId): WireAnswer {
  const groq = { id: makeId('req_') }
  const head = { id: makeId('chatcmpl-'), created: Math.floor(Date.now() / 1000), model: request.model }
  const calls = toWireCalls(answer.toolCalls, () => makeId('').slice(-9)).map((call) => ({
    id: call.callId,
    type: 'function',
    function: { name: call.name, arguments: call.argumentsText },
  }))
  const finishReason = finishReasons[finishReasonOf(answer)]
  const { text, reasoning } = said(answer, request)
  const usage = toGroqUsage(answer, request)
  const chunk = (delta: object, finish: string | null = null, more: object = {}): Frame => ({
    data: {
      ...head,
      object: 'chat.completion.chunk',
      system_fingerprint: 'fp_fake',
      choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
      ...more,
    },
  })
  const channel = request.model.includes('gpt-oss') ? { channel: 'analysis' } : {}

  return {
    content: [
      chunk({ role: 'assistant', content: calls.length > 0 && !text ? null : '' }, null, {
        x_groq: { ...groq, seed: 1 },
      }),
      ...pieces(reasoning, answer.deltas).map((piece) => chunk({ reasoning: piece, ...channel })),
      ...pieces(text, answer.deltas).map((piece) => chunk({ content: piece })),
      ...(calls.length > 0 ? [chunk({ tool_calls: calls.map((call, index) => ({ ...call, index })) })] : []),
    ],
    finish: [
      chunk({}, finishReason, { x_groq: { ...groq, ...(usage && { usage }) }, ...(usage && { usage }) }),
      { data: '[DONE]' },
    ],
    failures: {
      'error-frame': [{ event: 'error', data: streamError({ status: 500 }) }],
      'flat-error-frame': [chunk({}, null, { x_groq: { ...groq, error: 'over_capacity' } })],
      failed: [{ event: 'error', data: streamError({ status: 400, code: 'tool_use_failed' }) }],
    },
    body: {
      ...head,
      object: 'chat.completion',
      choices: [
        {
          index: 0,
          message: {
            role: 'assistant',
            ...((text || calls.length === 0) && { content: text }),
            ...(reasoning && { reasoning }),
            ...(calls.length > 0 && { tool_calls: calls }),
          },
          logprobs: null,
          finish_reason: finishReason,
        },
      ],
      ...(usage && { usage }),
      usage_breakdown: null,
      system_fingerprint: 'fp_fake',
      x_groq: { ...groq, seed: 1 },
      service_tier: 'on_demand',
    },
  }
}

/** Reasoning is a field of its own, part of the text, or omitted, as the request asks. */
function said(answer: FakeAnswer, request: GroqRequest): { text: string; reasoning: string } {
  const text = [answer.text, answer.refusal].join('')
  const { reasoning = '' } = answer
  if (request.reasoning_format === 'hidden' || request.include_reasoning === false) return { text, reasoning: '' }
  if (request.reasoning_format === 'raw' && reasoning) {
    return { text: `<think>\n${reasoning}\n</think>\n${text}`, reasoning: '' }
  }
  return { text, reasoning }
}

function toGroqUsage(answer: FakeAnswer, request: GroqRequest): object | undefined {
  const usage = usageOf(answer, request)
  return (
    usage && {
      queue_time: 0.01,
      prompt_tokens: usage.inputTokens,
      prompt_time: 0.01,
      completion_tokens: usage.outputTokens,
      completion_time: 0.02,
      total_tokens: usage.totalTokens,
      total_time: 0.03,
      ...(usage.cachedInputTokens > 0 && { prompt_tokens_details: { cached_tokens: usage.cachedInputTokens } }),
      ...(usage.reasoningTokens > 0 && { completion_tokens_details: { reasoning_tokens: usage.reasoningTokens } }),
    }
  )
}
