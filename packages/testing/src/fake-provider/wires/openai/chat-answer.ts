import { finishReasonOf, pieces, toWireCalls, usageOf, type WireCall } from '../answer-parts.ts'
import type { FakeAnswer } from '../script.ts'
import type { Frame, MakeId, WireAnswer } from '../wire-spec.ts'
import { streamError } from './error-body.ts'

type ChatRequest = { model: string; stream_options?: { include_usage?: boolean } }

const finishReasons = { stop: 'stop', 'tool-calls': 'tool_calls', length: 'length', 'content-filter': 'content_filter' }

/** An answer in the format of `/v1/chat/completions`. */
export function chatAnswer(answer: FakeAnswer, request: ChatRequest, makeId: MakeId): WireAnswer {
  const includeUsage = request.stream_options?.include_usage === true
  const calls = toWireCalls(answer.toolCalls, makeId)
  const finishReason = finishReasons[finishReasonOf(answer)]
  const usage = toChatUsage(answer, request)
  const head = { id: makeId('chatcmpl-'), created: Math.floor(Date.now() / 1000), model: request.model }
  const chunk = (choices: unknown[], chunkUsage: unknown = null): Frame => ({
    data: {
      ...head,
      object: 'chat.completion.chunk',
      service_tier: 'default',
      system_fingerprint: 'fp_fake',
      choices,
      // When usage was requested, every chunk but the last one has the key with null.
      ...(includeUsage && { usage: chunkUsage }),
    },
  })
  const delta = (change: object, reason: string | null = null): Frame =>
    chunk([{ index: 0, delta: change, logprobs: null, finish_reason: reason }])

  const finish = [delta({}, finishReason)]
  if (includeUsage && usage) finish.push(chunk([], usage))
  finish.push({ data: '[DONE]' })

  return {
    content: [
      delta({ role: 'assistant', content: calls.length > 0 && !answer.text ? null : '', refusal: null }),
      ...pieces(answer.reasoning ?? '', answer.deltas).map((piece) => delta({ reasoning_content: piece })),
      ...pieces(answer.text ?? '', answer.deltas).map((piece) => delta({ content: piece })),
      ...pieces(answer.refusal ?? '', answer.deltas).map((piece) => delta({ refusal: piece })),
      ...calls.flatMap((call, index) =>
        callDeltas(call, index, answer.deltas).map((change) => delta({ tool_calls: [change] })),
      ),
    ],
    finish,
    failures: {
      'error-frame': [{ data: { error: streamError } }],
      'flat-error-frame': [{ data: { object: 'error', ...streamError } }],
      failed: [{ data: { error: streamError } }],
    },
    body: {
      ...head,
      object: 'chat.completion',
      choices: [
        {
          index: 0,
          message: {
            role: 'assistant',
            content: answer.text ?? null,
            refusal: answer.refusal ?? null,
            ...(answer.reasoning && { reasoning_content: answer.reasoning }),
            annotations: [],
            ...(calls.length > 0 && { tool_calls: calls.map(wholeCall) }),
          },
          logprobs: null,
          finish_reason: finishReason,
        },
      ],
      ...(usage && { usage }),
      service_tier: 'default',
      system_fingerprint: 'fp_fake',
    },
  }
}

/** The name and the id come first, with empty arguments; then the arguments in pieces. */
function callDeltas(call: WireCall, index: number, count?: number): object[] {
  return [
    { index, id: call.callId, type: 'function', function: { name: call.name, arguments: '' } },
    ...pieces(call.argumentsText, count).map((piece) => ({ index, function: { arguments: piece } })),
  ]
}

function wholeCall(call: WireCall): object {
  return { id: call.callId, type: 'function', function: { name: call.name, arguments: call.argumentsText } }
}

function toChatUsage(answer: FakeAnswer, request: ChatRequest): object | undefined {
  const usage = usageOf(answer, request)
  return (
    usage && {
      prompt_tokens: usage.inputTokens,
      completion_tokens: usage.outputTokens,
      total_tokens: usage.totalTokens,
      prompt_tokens_details: { cached_tokens: usage.cachedInputTokens, audio_tokens: 0 },
      completion_tokens_details: {
        reasoning_tokens: usage.reasoningTokens,
        audio_tokens: 0,
        accepted_prediction_tokens: 0,
        rejected_prediction_tokens: 0,
      },
    }
  )
}
