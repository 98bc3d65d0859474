import { finishReasonOf, pieces, toWireCalls, usageOf } from '../answer-parts.ts'
import type { FakeAnswer } from '../script.ts'
import type { Frame, MakeId, WireAnswer } from '../wire-spec.ts'
import { streamError } from './error-body.ts'

type MistralRequest = { model: string }

const finishReasons = { stop: 'stop', 'tool-calls': 'tool_calls', length: 'length', 'content-filter': 'content_filter' }

/** An answer in the format of Mistral's `/v1/chat/completions`: calls are whole, in the chunk with the finish reason. */
export function mistralAnswer(answer: FakeAnswer, request: MistralRequest, makeId: MakeId): WireAnswer {
  const head = {
    id: makeId('').padStart(32, '0'),
    created: Math.floor(Date.now() / 1000),
    model: request.model,
  }
  const text = [answer.text, answer.refusal].join('')
  const calls = toWireCalls(answer.toolCalls, () => makeId('').slice(-9)).map((call, index) => ({
    id: call.callId,
    function: { name: call.name, arguments: call.argumentsText },
    index,
  }))
  const finishReason = finishReasons[finishReasonOf(answer)]
  const usage = toMistralUsage(answer, request)
  const chunk = (delta: object, finish: string | null = null, last: object = {}): Frame => ({
    data: {
      ...head,
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta, finish_reason: finish }],
      ...last,
      // Padding that hides the length of each piece.
      p: 'abcdefghijklmnopqrstuvwxyz0123456789'.slice(0, 6 + (JSON.stringify(delta).length % 30)),
    },
  })
  return {
    content: [
      chunk({ role: 'assistant', content: '' }),
      ...pieces(answer.reasoning ?? '', answer.deltas).map((piece) => chunk({ content: [thinking(piece)] })),
      // The text after the thinking starts with a chunk of its type, the rest is plain.
      ...pieces(text, answer.deltas).map((piece, index) =>
        chunk({ content: answer.reasoning && index === 0 ? [{ type: 'text', text: piece }] : piece }),
      ),
    ],
    finish: [
      chunk(calls.length > 0 ? { content: '', tool_calls: calls } : { content: '' }, finishReason, usage && { usage }),
      { data: '[DONE]' },
    ],
    failures: {
      'error-frame': [{ data: streamError }],
      'flat-error-frame': [{ data: streamError }],
      failed: [{ data: streamError }],
    },
    body: {
      ...head,
      ...(usage && { usage }),
      object: 'chat.completion',
      choices: [
        {
          index: 0,
          finish_reason: finishReason,
          message: {
            role: 'assistant',
            tool_calls: calls.length > 0 ? calls : null,
            content: answer.reasoning
              ? [{ ...thinking(answer.reasoning), closed: true }, ...(text ? [{ type: 'text', text }] : [])]
              : text,
          },
        },
      ],
    },
  }
}

function thinking(text: string): object {
  return { type: 'thinking', thinking: [{ type: 'text', text }] }
}

function toMistralUsage(answer: FakeAnswer, request: MistralRequest): object | undefined {
  const usage = usageOf(answer, request)
  return (
    usage && {
      prompt_tokens: usage.inputTokens,
      total_tokens: usage.totalTokens,
      completion_tokens: usage.outputTokens,
      prompt_tokens_details: { cached_tokens: usage.cachedInputTokens },
    }
  )
}
