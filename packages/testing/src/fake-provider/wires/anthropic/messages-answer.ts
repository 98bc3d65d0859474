import { finishReasonOf, pieces, toWireCalls, usageOf, type WireCall } from '../answer-parts.ts'
import type { FakeAnswer } from '../script.ts'
import { type Fields, type Frame, isFields, type MakeId, type WireAnswer } from '../wire-spec.ts'
import { type Block, boundBlocks, turnsOf } from './conversation.ts'
import { modelRules } from './model-rules.ts'
import { digest, sign, unseal } from './signature.ts'

type MessagesRequest = { model: string; messages: Fields[]; system?: unknown; tools?: unknown; thinking?: unknown }

/** The start of a block, its deltas, and the whole block. */
type PlayedBlock = { started: Fields; deltas: Fields[]; finished: Fields }

const stopReasons = {
  stop: 'end_turn',
  'tool-calls': 'tool_use',
  length: 'max_tokens',
  'content-filter': 'refusal',
} as const

/** An answer in the format of `/v1/messages`. */
export function messagesAnswer(answer: FakeAnswer, request: MessagesRequest, makeId: MakeId): WireAnswer {
  const blocks = playBlocks(answer, request, makeId)
  const refused = answer.refusal !== undefined
  const stop = {
    stop_reason: refused ? 'refusal' : stopReasons[finishReasonOf(answer) as keyof typeof stopReasons],
    stop_sequence: null,
    stop_details: refused ? { type: 'refusal', category: null, explanation: answer.refusal } : null,
  }
  const usage = toUsage(answer, request)
  const head = {
    model: request.model,
    id: makeId('msg_'),
    type: 'message',
    role: 'assistant',
    container: null,
    diagnostics: null,
  }
  const started = { ...head, content: [], stop_reason: null, stop_sequence: null, stop_details: null }
  return {
    content: [
      frame('message_start', { message: { ...started, ...(usage && { usage: usage.started }) } }),
      ...blocks.flatMap((block, index) => [
        frame('content_block_start', { index, content_block: block.started }),
        ...(index === 0 ? [frame('ping', {})] : []),
        ...block.deltas.map((delta) => frame('content_block_delta', { index, delta })),
        frame('content_block_stop', { index }),
      ]),
    ],
    finish: [frame('message_delta', { delta: stop, ...(usage && { usage: usage.total }) }), frame('message_stop', {})],
    failures: {
      'error-frame': [streamFailure],
      'flat-error-frame': [{ event: 'error', data: { type: 'overloaded_error', message: 'Overloaded' } }],
      failed: [streamFailure],
    },
    body: {
      ...head,
      content: blocks.map((block) => block.finished),
      ...stop,
      ...(usage && { usage: { ...usage.started, ...usage.total } }),
    },
  }
}

function frame(type: string, fields: object): Frame {
  return { event: type, data: { type, ...fields } }
}

const streamFailure = frame('error', { error: { type: 'overloaded_error', message: 'Overloaded' } })

function playBlocks(answer: FakeAnswer, request: MessagesRequest, makeId: MakeId): PlayedBlock[] {
  const { reasoning, text, toolCalls, deltas } = answer
  const blocks: PlayedBlock[] = []
  if (reasoning) blocks.push(playThinking(reasoning, request, makeId, deltas))
  if (text) {
    blocks.push({
      started: { type: 'text', text: '', citations: null },
      deltas: pieces(text, deltas).map((piece) => ({ type: 'text_delta', text: piece })),
      finished: { type: 'text', text, citations: null },
    })
  }
  for (const call of toWireCalls(toolCalls, (prefix) => makeId(prefix === 'call_' ? 'toolu_' : prefix))) {
    blocks.push(playCall(call, deltas))
  }
  return blocks
}

function playThinking(reasoning: string, request: MessagesRequest, makeId: MakeId, deltas?: number): PlayedBlock {
  const display = isFields(request.thinking) ? request.thinking.display : undefined
  const omitted = (display ?? (modelRules(request.model).omitsThinking ? 'omitted' : 'summarized')) === 'omitted'
  const thinking = omitted ? '' : reasoning
  const before = turnsOf(request.messages).flatMap((turn) => turn.blocks)
  const signature = sign({
    id: makeId('think_'),
    model: request.model,
    after: lastThinking(before),
    text: digest(thinking),
    system: digest({ content: request.system }),
    tools: digest(request.tools),
    messages: digest(boundBlocks(before)),
  })
  return {
    started: { type: 'thinking', thinking: '', signature: '' },
    deltas: [
      ...pieces(thinking, deltas).map((piece) => ({ type: 'thinking_delta', thinking: piece })),
      { type: 'signature_delta', signature },
    ],
    finished: { type: 'thinking', thinking, signature },
  }
}

function lastThinking(blocks: readonly Block[]): string | null {
  const last = blocks.findLast(({ block }) => block.type === 'thinking')
  return (last && unseal(String(last.block.signature))?.id) ?? null
}

function playCall(call: WireCall, deltas?: number): PlayedBlock {
  const head = { type: 'tool_use', id: call.callId, name: call.name }
  // A call without arguments has only the empty delta that every call starts with.
  const parts = call.argumentsText === '{}' ? [] : pieces(call.argumentsText, deltas)
  return {
    started: { ...head, input: {}, caller: { type: 'direct' } },
    deltas: ['', ...parts].map((piece) => ({ type: 'input_json_delta', partial_json: piece })),
    finished: { ...head, input: parsed(call.argumentsText), caller: { type: 'direct' } },
  }
}

/** Arguments that are not JSON can only be returned as text. */
function parsed(text: string): unknown {
  if (text === '') return {}
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** The usage of the first frame, and the totals of the last one. */
function toUsage(answer: FakeAnswer, request: MessagesRequest): { started: Fields; total: Fields } | undefined {
  const usage = usageOf(answer, request)
  if (!usage) return undefined
  const { cachedInputTokens, cacheWriteTokens } = usage
  const input = {
    // Tokens read from the cache and written to it are counted separately.
    input_tokens: Math.max(0, usage.inputTokens - cachedInputTokens - cacheWriteTokens),
    cache_creation_input_tokens: cacheWriteTokens,
    cache_read_input_tokens: cachedInputTokens,
  }
  return {
    started: {
      ...input,
      cache_creation: { ephemeral_5m_input_tokens: cacheWriteTokens, ephemeral_1h_input_tokens: 0 },
      output_tokens: 1,
      output_tokens_details: null,
      server_tool_use: null,
      service_tier: 'standard',
      speed: null,
      inference_geo: 'global',
    },
    total: {
      ...input,
      output_tokens: usage.outputTokens,
      output_tokens_details: { thinking_tokens: usage.reasoningTokens },
      server_tool_use: null,
    },
  }
}
