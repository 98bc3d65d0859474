import type { ModelFinishReason } from '@agentkit/core'
import { finishReasonOf, pieces, toWireCalls, usageOf, type WireCall } from '../answer-parts.ts'
import type { FakeAnswer } from '../script.ts'
import type { Frame, MakeId, WireAnswer } from '../wire-spec.ts'
import { streamError } from './error-body.ts'

type ResponsesRequest = {
  model: string
  include?: string[]
  instructions?: string
  tools?: unknown[]
  tool_choice?: unknown
  parallel_tool_calls?: boolean
  store?: boolean
  reasoning?: object
  text?: object
}

/** An output item, and the events between its `added` and its `done`. */
type PlayedItem = { started: object; events: { type: string; [key: string]: unknown }[]; finished: object }

const incompleteReasons: Partial<Record<ModelFinishReason, string>> = {
  length: 'max_output_tokens',
  'content-filter': 'content_filter',
}

/** An answer as `/v1/responses` gives it. */
export function responsesAnswer(answer: FakeAnswer, request: ResponsesRequest, makeId: MakeId): WireAnswer {
  const reason = incompleteReasons[finishReasonOf(answer)]
  const items = playItems(answer, request, makeId, reason !== undefined)
  const output = items.map((item) => item.finished)
  const head = responseHead(request, makeId('resp_'))
  const usage = toResponsesUsage(answer, request)
  const last = {
    ...head,
    status: reason ? 'incomplete' : 'completed',
    incomplete_details: reason ? { reason } : null,
    output,
    ...(usage && { usage }),
  }
  const failed = { ...head, status: 'failed', error: { code: streamError.code, message: streamError.message }, output }
  const started = { ...head, status: 'in_progress', output: [], usage: null }

  let sequenceNumber = 0
  const frame = (type: string, fields: object): Frame => ({
    event: type,
    data: { type, ...fields, sequence_number: sequenceNumber++ },
  })
  const content = [
    frame('response.created', { response: started }),
    frame('response.in_progress', { response: started }),
    ...items.flatMap((item, index) => [
      frame('response.output_item.added', { output_index: index, item: item.started }),
      ...item.events.map(({ type, ...fields }) => frame(type, { output_index: index, ...fields })),
      frame('response.output_item.done', { output_index: index, item: item.finished }),
    ]),
  ]
  return {
    content,
    finish: [frame(reason ? 'response.incomplete' : 'response.completed', { response: last })],
    failures: {
      'error-frame': [frame('error', { error: streamError })],
      'flat-error-frame': [frame('error', { code: streamError.code, message: streamError.message, param: null })],
      failed: [frame('response.failed', { response: failed })],
    },
    body: last,
  }
}

function playItems(answer: FakeAnswer, request: ResponsesRequest, makeId: MakeId, cutShort: boolean): PlayedItem[] {
  const { reasoning, commentary, text, refusal, deltas } = answer
  const items: PlayedItem[] = []
  if (reasoning) items.push(playReasoning(reasoning, request, makeId, deltas))
  if (commentary) items.push(playMessage({ text: commentary, phase: 'commentary' }, makeId, deltas))
  // A truncated message has its own status, like the whole response.
  if (text || refusal) items.push(playMessage({ text, refusal, cutShort }, makeId, deltas))
  for (const call of toWireCalls(answer.toolCalls, makeId)) items.push(playCall(call, makeId('fc_'), deltas))
  return items
}

function playReasoning(text: string, request: ResponsesRequest, makeId: MakeId, deltas?: number): PlayedItem {
  const item = { id: makeId('rs_'), type: 'reasoning' }
  const place = { item_id: item.id, summary_index: 0 }
  const encrypted = request.include?.includes('reasoning.encrypted_content')
    ? { encrypted_content: Buffer.from(`${item.id}:${text}`).toString('base64') }
    : {}
  return {
    started: { ...item, summary: [], ...encrypted },
    events: [
      { type: 'response.reasoning_summary_part.added', ...place, part: { type: 'summary_text', text: '' } },
      ...pieces(text, deltas).map((delta) => ({ type: 'response.reasoning_summary_text.delta', ...place, delta })),
      { type: 'response.reasoning_summary_text.done', ...place, text },
      { type: 'response.reasoning_summary_part.done', ...place, part: { type: 'summary_text', text } },
    ],
    finished: { ...item, summary: [{ type: 'summary_text', text }], ...encrypted },
  }
}

type MessageContent = { text?: string | undefined; refusal?: string | undefined; phase?: string; cutShort?: boolean }

function playMessage(message: MessageContent, makeId: MakeId, deltas?: number): PlayedItem {
  const item = {
    id: makeId('msg_'),
    type: 'message',
    role: 'assistant',
    ...(message.phase && { phase: message.phase }),
  }
  const parts: object[] = []
  const events: PlayedItem['events'] = []
  const addPart = (name: string, field: string, text: string, empty: object): void => {
    const place = { item_id: item.id, content_index: parts.length }
    const part = { ...empty, [field]: text }
    events.push({ type: 'response.content_part.added', ...place, part: empty })
    for (const delta of pieces(text, deltas)) events.push({ type: `response.${name}.delta`, ...place, delta })
    events.push({ type: `response.${name}.done`, ...place, [field]: text })
    events.push({ type: 'response.content_part.done', ...place, part })
    parts.push(part)
  }
  if (message.text) {
    addPart('output_text', 'text', message.text, { type: 'output_text', text: '', annotations: [], logprobs: [] })
  }
  if (message.refusal) addPart('refusal', 'refusal', message.refusal, { type: 'refusal', refusal: '' })
  return {
    started: { ...item, status: 'in_progress', content: [] },
    events,
    finished: { ...item, status: message.cutShort ? 'incomplete' : 'completed', content: parts },
  }
}

function playCall(call: WireCall, id: string, deltas?: number): PlayedItem {
  const item = { id, type: 'function_call', call_id: call.callId, name: call.name }
  const type = 'response.function_call_arguments'
  return {
    started: { ...item, status: 'in_progress', arguments: '' },
    events: [
      ...pieces(call.argumentsText, deltas).map((delta) => ({ type: `${type}.delta`, item_id: id, delta })),
      { type: `${type}.done`, item_id: id, name: call.name, arguments: call.argumentsText },
    ],
    finished: { ...item, status: 'completed', arguments: call.argumentsText },
  }
}

function responseHead(request: ResponsesRequest, id: string): object {
  return {
    id,
    object: 'response',
    created_at: Math.floor(Date.now() / 1000),
    background: false,
    error: null,
    incomplete_details: null,
    instructions: request.instructions ?? null,
    max_output_tokens: null,
    metadata: {},
    model: request.model,
    parallel_tool_calls: request.parallel_tool_calls ?? true,
    previous_response_id: null,
    reasoning: request.reasoning ?? { effort: null, summary: null },
    service_tier: 'default',
    store: request.store ?? true,
    temperature: 1,
    text: request.text ?? { format: { type: 'text' } },
    tool_choice: request.tool_choice ?? 'auto',
    tools: request.tools ?? [],
    top_p: 1,
    truncation: 'disabled',
    user: null,
  }
}

function toResponsesUsage(answer: FakeAnswer, request: ResponsesRequest): object | undefined {
  const usage = usageOf(answer, request)
  return (
    usage && {
      input_tokens: usage.inputTokens,
      input_tokens_details: { cached_tokens: usage.cachedInputTokens, cache_write_tokens: usage.cacheWriteTokens },
      output_tokens: usage.outputTokens,
      output_tokens_details: { reasoning_tokens: usage.reasoningTokens },
      total_tokens: usage.totalTokens,
    }
  )
}
