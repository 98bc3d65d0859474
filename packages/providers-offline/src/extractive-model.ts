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
import { type Choice, chooseTool, type PlannedCall } from './choose-tool.ts'
import { type Conversation, readConversation } from './conversation.ts'
import { readMessage } from './find-arguments.ts'
import { hasFiles, isFileTool, planLookup } from './look-up.ts'
import { asksForArgument, cutsText, fillOutput, isSmallTalk, isStatement, recall, writeAnswer } from './write-answer.ts'

const id = 'offline/extractive'
const info: ModelInfo = {
  price: { inputUsdPerMillion: 0, outputUsdPerMillion: 0, cachedInputUsdPerMillion: 0, asOf: '2026-01-01' },
  nativeOutput: 'always',
}

/** A model without a language model: it matches, fills in and quotes. The same request on the same day has the same answer. */
export function extractiveModel(now: () => Date): Model {
  return { id, info, stream: (request, signal) => streamAnswer(request, signal, now()) }
}

async function* streamAnswer(request: ModelRequest, signal: AbortSignal, today: Date): AsyncGenerator<ModelEvent> {
  throwIfAborted(signal)
  const conversation = readConversation(request.messages)
  const warnings = ignoredOptions(request)
  // An answer that is text says itself what it has not read.
  if (request.output && conversation.cuts.length > 0) warnings.push(cutsText(conversation.cuts))
  for (const message of warnings) yield { type: 'warning', message }
  const { calls, choice } = planTurn(conversation, request, today)
  const content: AssistantPart[] = []
  let reason: ModelFinishReason = 'stop'
  if (calls.length > 0) {
    reason = 'tool-calls'
    for (const call of withIds(calls, conversation)) {
      throwIfAborted(signal)
      content.push(call)
      yield { ...call, input: structuredClone(call.input) }
    }
  } else {
    const written = request.output
      ? fillOutput(request.output, conversation, today)
      : writeAnswer(conversation, choice, request.toolChoice === 'none' ? [] : (request.tools ?? []))
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
  const finish: ModelEvent = { type: 'finish', reason, usage: usageOf(request, content), message }
  yield warnings.length > 0 ? { ...finish, warnings } : finish
}

type Plan = { calls: PlannedCall[]; choice?: Choice | undefined }

/** The calls that the turn still needs: a tool that the message names, else a look into the agent's files. */
function planTurn(conversation: Conversation, request: ModelRequest, today: Date): Plan {
  const { question, earlier, lastAnswer, results } = conversation
  const { tools = [], toolChoice = 'auto', parallelToolCalls } = request
  const withFiles = hasFiles(tools) && typeof toolChoice !== 'object'
  const others = withFiles ? tools.filter((tool) => !isFileTool(tool)) : tools
  const isQuiet = isSmallTalk(question) || /^\s*(?:please )?(?:do not|don['’]t|never)\b/i.test(question)
  if (toolChoice === 'none' || (toolChoice === 'auto' && isQuiet)) return { calls: [] }
  const choose = (text: string): Choice | undefined => chooseTool(readMessage(text, today), others, toolChoice)
  // "Which city?" – "Paris.": the answer belongs to the message before.
  const isAnswer = lastAnswer !== undefined && asksForArgument(lastAnswer)
  const completed = isAnswer ? choose(`${earlier[0] ?? ''}\n${question}`) : undefined
  const choice = completed && 'call' in completed ? completed : choose(question)
  const isSearched = withFiles && !choice && !isStatement(question) && recall(conversation) === undefined
  const planned = choice && 'call' in choice ? [choice.call] : isSearched ? planLookup(conversation) : []
  // A plan is the same in each step of a turn; what comes first in it has been called already.
  const made = results.filter(({ name }) => tools.some((tool) => tool.name === name)).length
  const left = planned.slice(made)
  return { calls: parallelToolCalls === false ? left.slice(0, 1) : left, choice }
}

function throwIfAborted(signal: AbortSignal): void {
  if (signal.aborted) throw abortError(signal, { provider: 'offline', model: 'extractive' })
}

function ignoredOptions({ temperature = 0, reasoning = 'none' }: ModelRequest): string[] {
  const ignored = [...(temperature > 0 ? ['temperature'] : []), ...(reasoning !== 'none' ? ['reasoning'] : [])]
  return ignored.map((option) => `${id} ignores ${option}: it is deterministic and does not reason.`)
}

/** The calls with ids that the conversation does not have yet. */
function withIds(calls: readonly PlannedCall[], { callIds }: Conversation): ToolCallPart[] {
  let number = callIds.size
  return calls.map(({ name, input }) => {
    do number++
    while (callIds.has(`offline_${number}`))
    return { type: 'tool-call', callId: `offline_${number}`, name, input }
  })
}

function withinLimits(text: string, { maxOutputTokens = Infinity, stop = [] }: ModelRequest) {
  const ends = stop.map((word) => text.indexOf(word)).filter((index) => index >= 0)
  const stopped = text.slice(0, Math.min(text.length, ...ends))
  const tokens = tokensOf(stopped)
  const isCut = tokens.length > maxOutputTokens
  return { text: isCut ? tokens.slice(0, maxOutputTokens).join('') : stopped, isCut }
}

/** The tokens of this model are words, each with the white space after it. */
function tokensOf(text: string): string[] {
  return text.match(/\S+\s*|^\s+/g) ?? []
}

function wordGroups(text: string): string[] {
  const tokens = tokensOf(text)
  return Array.from({ length: Math.ceil(tokens.length / 4) }, (_, at) => tokens.slice(at * 4, at * 4 + 4).join(''))
}

function usageOf({ messages, tools = [] }: ModelRequest, content: readonly AssistantPart[]): Usage {
  const read = messages.map((message) =>
    typeof message.content === 'string' ? message.content : partsText(message.content),
  )
  const described = tools.map(({ name, description }) => `${name} ${description}`)
  const inputTokens = [...read, ...described].reduce((sum, text) => sum + tokensOf(text).length, 0)
  const outputTokens = tokensOf(partsText(content)).length
  return { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens }
}

function partsText(parts: readonly { type: string; text?: string; name?: string; input?: unknown }[]): string {
  return parts
    .map(({ type, text, name, input }) => (type === 'tool-call' ? `${name} ${JSON.stringify(input)}` : (text ?? '')))
    .join(' ')
}
