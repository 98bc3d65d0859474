import type {
  AssistantMessage,
  AssistantPart,
  Model,
  ModelEvent,
  ModelFinishReason,
  ModelInfo,
  ModelRequest,
  ToolCallPart,
  Usage,
} from '@agentkit/core'
import { abortError } from '@agentkit/core/internal'
import { boundRequest } from './bound-request.ts'
import { type Conversation, readConversation } from './conversation.ts'
import { splitTools } from './file-tools.ts'
import { fillOutput } from './fill-output.ts'
import { keyOf, type PlannedCall } from './plan-calls.ts'
import { planTurn } from './plan-turn.ts'
import { sayCuts, writeAnswer } from './write-answer.ts'

const id = 'offline/extractive'
const info: ModelInfo = {
  price: { inputUsdPerMillion: 0, outputUsdPerMillion: 0, cachedInputUsdPerMillion: 0, asOf: '2026-01-01' },
  nativeOutput: 'always',
}

/** A model without a language model: it matches, fills in and quotes. The same request on the same day has the same answer. */
export function extractiveModel(now: () => Date): Model {
  return { id, info, stream: (request, signal) => streamAnswer(request, signal, now()) }
}

async function* streamAnswer(whole: ModelRequest, signal: AbortSignal, today: Date): AsyncGenerator<ModelEvent> {
  throwIfAborted(signal)
  const { request, cuts } = boundRequest(whole)
  const warnings = ignoredOptions(request)
  // An answer that is text says itself what it has not read.
  if (request.output && cuts.length > 0) warnings.push(sayCuts(cuts))
  for (const message of warnings) yield { type: 'warning', message }
  const conversation = readConversation(request.messages)
  const tools = request.toolChoice === 'none' ? [] : (request.tools ?? [])
  const { files } = splitTools(request.tools ?? [])
  const plan = planTurn(conversation, request, today)
  const calls = newCalls(plan.calls, conversation, request)
  const content: AssistantPart[] = []
  let reason: ModelFinishReason = 'stop'
  if (calls.length > 0) {
    reason = 'tool-calls'
    for (const { callId, name, input } of calls) {
      throwIfAborted(signal)
      yield { type: 'tool-call', callId, name, input: structuredClone(input) }
    }
    content.push(...calls)
  } else {
    const written = request.output
      ? fillOutput(request.output, conversation, today, files)
      : writeAnswer(conversation, plan, tools, { files, cuts })
    const { text, isCut } = withinLimits(written, request)
    if (isCut) reason = 'length'
    for (const delta of wordGroups(text)) {
      throwIfAborted(signal)
      yield { type: 'text-delta', text: delta }
    }
    if (text !== '') content.push({ type: 'text', text })
  }
  throwIfAborted(signal)
  const message: AssistantMessage = { v: 1, role: 'assistant', content, model: id }
  const finish: ModelEvent = { type: 'finish', reason, usage: usageOf(whole, content), message }
  yield warnings.length > 0 ? { ...finish, warnings } : finish
}

function throwIfAborted(signal: AbortSignal): void {
  if (signal.aborted) throw abortError(signal, { provider: 'offline', model: 'extractive' })
}

function ignoredOptions({ temperature, reasoning }: ModelRequest): string[] {
  const ignored: string[] = []
  if (temperature !== undefined && temperature > 0) ignored.push('temperature')
  if (reasoning !== undefined && reasoning !== 'none') ignored.push('reasoning')
  return ignored.map((option) => `${id} ignores ${option}: it is deterministic and does not reason.`)
}

/** The planned calls that this turn has not made yet, with ids that the conversation does not have yet. */
function newCalls(
  planned: readonly PlannedCall[],
  { results, callIds }: Conversation,
  { parallelToolCalls }: ModelRequest,
): ToolCallPart[] {
  const made = new Set(results.map(({ call }) => keyOf(call)))
  const open = planned.filter((call) => !made.has(keyOf(call)))
  let number = callIds.size
  return (parallelToolCalls === false ? open.slice(0, 1) : open).map(({ name, input }) => {
    do number++
    while (callIds.has(`offline_${number}`))
    return { type: 'tool-call', callId: `offline_${number}`, name, input }
  })
}

/** A token of this model is a word with the space after it. */
const token = /\S+\s*/g

function withinLimits(text: string, { maxOutputTokens, stop }: ModelRequest): { text: string; isCut: boolean } {
  const ends = (stop ?? []).map((word) => text.indexOf(word)).filter((index) => index >= 0)
  const stopped = text.slice(0, Math.min(text.length, ...ends))
  const words = tokensOf(stopped)
  if (maxOutputTokens === undefined || words.length <= maxOutputTokens) return { text: stopped, isCut: false }
  return { text: words.slice(0, Math.max(0, maxOutputTokens)).join(''), isCut: true }
}

/** The tokens of a text; space before the first one belongs to it. */
function tokensOf(text: string): string[] {
  const [first, ...others] = text.match(token) ?? []
  return first === undefined ? [] : [text.slice(0, text.search(/\S/)) + first, ...others]
}

function wordGroups(text: string): string[] {
  const tokens = tokensOf(text)
  return Array.from({ length: Math.ceil(tokens.length / 4) }, (_, at) => tokens.slice(at * 4, at * 4 + 4).join(''))
}

function usageOf({ messages, tools }: ModelRequest, content: readonly AssistantPart[]): Usage {
  const inputTokens =
    countWords(
      messages.map((message) => (typeof message.content === 'string' ? message.content : partsText(message.content))),
    ) + countWords((tools ?? []).map(({ name, description }) => `${name} ${description}`))
  const outputTokens = countWords([partsText(content)])
  return { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens }
}

function partsText(parts: readonly { type: string; text?: string; name?: string; input?: unknown }[]): string {
  return parts
    .map(({ type, text, name, input }) => (type === 'tool-call' ? `${name} ${JSON.stringify(input)}` : (text ?? '')))
    .join(' ')
}

function countWords(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + (text.match(token)?.length ?? 0), 0)
}
