import { finishReasonOf, pieces, toWireCalls, usageOf, type WireCall } from '../answer-parts.ts'
import type { FakeAnswer } from '../script.ts'
import type { Frame, MakeId, WireAnswer } from '../wire-spec.ts'

type OllamaRequest = { model: string }

/** An answer in the format of Ollama's `/api/chat`: a line per piece, and per call, whose arguments are a value. */
export function ollamaAnswer(answer: FakeAnswer, request: OllamaRequest, makeId: MakeId): WireAnswer {
  const calls = toWireCalls(answer.toolCalls, () => `call_${makeId('').slice(-8)}`).map(toOllamaCall)
  const text = [answer.text, answer.refusal].join('')
  const line = (message: object, more: object = { done: false }): Frame => ({
    data: {
      model: request.model,
      created_at: new Date().toISOString(),
      message: { role: 'assistant', content: '', ...message },
      ...more,
    },
  })
  const last = {
    done: true,
    // There is no other reason: answers with calls have `stop`.
    done_reason: finishReasonOf(answer) === 'length' ? 'length' : 'stop',
    total_duration: 3_000_000,
    load_duration: 1_000_000,
    ...toOllamaUsage(answer, request),
  }
  const failure: Frame[] = [{ data: { error: 'an error was encountered while running the model: unexpected EOF' } }]
  return {
    content: [
      ...pieces(answer.reasoning ?? '', answer.deltas).map((piece) => line({ thinking: piece })),
      ...pieces(text, answer.deltas).map((piece) => line({ content: piece })),
      ...calls.map((call) => line({ tool_calls: [call] })),
    ],
    finish: [line({}, last)],
    failures: { 'error-frame': failure, 'flat-error-frame': failure, failed: failure },
    body: {
      model: request.model,
      created_at: new Date().toISOString(),
      message: {
        role: 'assistant',
        content: text,
        ...(answer.reasoning && { thinking: answer.reasoning }),
        ...(calls.length > 0 && { tool_calls: calls }),
      },
      ...last,
    },
  }
}

/** A call; servers before 0.12.10 sent no id, like one with an empty `callId`. */
function toOllamaCall({ callId, name, argumentsText }: WireCall, index: number): object {
  return { ...(callId !== '' && { id: callId }), function: { index, name, arguments: parsed(argumentsText) } }
}

/** Arguments that are not JSON are returned as the model's text. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function toOllamaUsage(answer: FakeAnswer, request: OllamaRequest): object {
  const usage = usageOf(answer, request)
  if (!usage) return {}
  return {
    prompt_eval_count: usage.inputTokens,
    prompt_eval_duration: 1_000_000,
    eval_count: usage.outputTokens,
    eval_duration: 1_000_000,
  }
}
