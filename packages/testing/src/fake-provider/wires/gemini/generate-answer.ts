import { finishReasonOf, pieces, usageOf } from '../answer-parts.ts'
import type { FakeAnswer, FakeToolCall } from '../script.ts'
import { type Fields, isFields, type MakeId, type WireAnswer } from '../wire-spec.ts'
import { modelRules } from './model-rules.ts'
import { parseMessage } from './parse-message.ts'
import { signThought } from './signature.ts'

/** Answers with calls end with STOP too: only their parts show the calls. */
const finishReasons = { stop: 'STOP', 'tool-calls': 'STOP', length: 'MAX_TOKENS', 'content-filter': 'SAFETY' } as const

/** An answer in the format of `:generateContent` and `:streamGenerateContent`. */
export function generateAnswer(answer: FakeAnswer, body: Fields, model: string, makeId: MakeId): WireAnswer {
  const usage = toUsage(answer, body)
  const head = { modelVersion: model, responseId: makeId('resp-') }
  const chunk = (said: object, tokens: object | undefined): Fields => ({
    ...said,
    ...(tokens && { usageMetadata: tokens }),
    ...head,
  })
  const failures = {
    'error-frame': [{ data: { error: streamError } }],
    'flat-error-frame': [{ data: streamError }],
    failed: [{ data: { error: streamError } }],
  }
  const silent = silentEnd(answer)
  if (silent) {
    const data = chunk(silent, usage?.total)
    return { content: [], finish: [{ data }], failures, body: data }
  }
  const { streamed, last, whole } = partsOf(answer, body, model, makeId)
  const finishReason = answer.refusal === undefined ? finishReasons[finishReasonOf(answer)] : 'PROHIBITED_CONTENT'
  return {
    content: streamed.map((part) => ({ data: chunk(candidate([part]), usage?.started) })),
    finish: [{ data: chunk(candidate([last], { finishReason }), usage?.total) }],
    failures,
    body: chunk(candidate(whole, { finishReason }), usage?.total),
  }
}

function candidate(parts: readonly Fields[], end: Fields = {}): object {
  return { candidates: [{ content: { parts, role: 'model' }, ...end, index: 0 }] }
}

const streamError = { code: 503, message: 'The model is overloaded. Please try again later.', status: 'UNAVAILABLE' }

/** The end that replaces an answer: a blocked prompt, or a malformed call. */
function silentEnd(answer: FakeAnswer): object | undefined {
  if (answer.refusal !== undefined && !answer.text) return { promptFeedback: { blockReason: 'PROHIBITED_CONTENT' } }
  const broken = answer.toolCalls?.find((call) => !isFields(argsOf(call)))
  if (!broken) return undefined
  const finishMessage = `Malformed function call: call:default_api:${broken.name}${broken.inputText ?? ''}`
  return { candidates: [{ content: {}, finishReason: 'MALFORMED_FUNCTION_CALL', finishMessage, index: 0 }] }
}

/** The parts of an answer: one by one for a stream, the last one, and the whole. */
type Parts = { streamed: Fields[]; last: Fields; whole: Fields[] }

function partsOf(answer: FakeAnswer, body: Fields, model: string, makeId: MakeId): Parts {
  const { thinks, isThird } = modelRules(model)
  const thoughts = answer.reasoning && showsThoughts(body) ? answer.reasoning : ''
  const text = answer.text ?? ''
  const calls = (answer.toolCalls ?? []).map((call, index) => {
    const { name, callId } = call
    const part = { functionCall: { ...(callId && { id: callId }), name, args: argsOf(call) } }
    // Only the first of parallel calls is signed.
    return thinks && index === 0 ? { ...part, thoughtSignature: signThought(makeId('sig-')) } : part
  })
  const signature = isThird && calls.length === 0 ? { thoughtSignature: signThought(makeId('sig-')) } : undefined
  return {
    streamed: [
      ...pieces(thoughts, answer.deltas).map((piece) => ({ text: piece, thought: true })),
      ...pieces(text, answer.deltas).map((piece) => ({ text: piece })),
      ...calls,
    ],
    // No text is left, but the signature comes last.
    last: { text: '', ...signature },
    whole: [
      ...(thoughts ? [{ text: thoughts, thought: true }] : []),
      ...(text || signature ? [{ text, ...signature }] : []),
      ...calls,
    ],
  }
}

function showsThoughts(body: Fields): boolean {
  const config = parseMessage(body, 'GenerateContentRequest').generationConfig
  return isFields(config) && isFields(config.thinkingConfig) && config.thinkingConfig.includeThoughts === true
}

function argsOf({ input = {}, inputText }: FakeToolCall): unknown {
  if (inputText === undefined) return input
  try {
    return JSON.parse(inputText)
  } catch {
    return undefined
  }
}

/** The usage so far of each chunk, and the total of the last one. */
function toUsage(answer: FakeAnswer, body: Fields): { started: Fields; total: Fields } | undefined {
  const usage = usageOf(answer, body)
  if (!usage) return undefined
  const prompt = {
    promptTokenCount: usage.inputTokens,
    promptTokensDetails: [{ modality: 'TEXT', tokenCount: usage.inputTokens }],
    ...(usage.cachedInputTokens > 0 && { cachedContentTokenCount: usage.cachedInputTokens }),
  }
  return {
    started: { ...prompt, candidatesTokenCount: 1, totalTokenCount: usage.inputTokens + 1 },
    total: {
      ...prompt,
      // Thoughts are not counted as candidate tokens.
      candidatesTokenCount: Math.max(0, usage.outputTokens - usage.reasoningTokens),
      ...(usage.reasoningTokens > 0 && { thoughtsTokenCount: usage.reasoningTokens }),
      totalTokenCount: usage.totalTokens,
    },
  }
}
