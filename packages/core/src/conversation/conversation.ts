import type { Model, ModelInfo, ModelRequest } from '../contracts/model.ts'
import { AgentKitError, isAgentKitError } from '../data/errors.ts'
import type { Message, ToolMessage } from '../data/message.ts'
import { limits } from '../limits.ts'
import { estimateMessage, estimateRequest } from '../tokens/estimate-tokens.ts'
import { isCut } from '../util/cut-text.ts'
import { type Compaction, notCompacted, readCompaction, shownMessages } from './compacted-view.ts'
import { compact } from './compaction.ts'
import { resultText } from './long-results.ts'

/** A run's messages as a model is shown them: within the room that the model has. */
export interface Conversation {
  add(message: Message): void
  /** Messages for the next requests only, until they are dropped: a question of ours, say. */
  setAside(messages: Message[]): void
  /** A request with what belongs into it beside the messages. Compacts what does not fit. */
  requestFor(model: Model, rest: Omit<ModelRequest, 'messages'>): Promise<ModelRequest>
  /** After a model found a request too long: compacts it to about half. */
  makeRoom(model: Model): Promise<boolean>
  /** The whole text of a tool result, by its call. */
  findResult(callId: string): string | undefined
  /** Keeps what a result has beyond what is stored of it, for as long as the run lasts. */
  keepWhole(callId: string, text: string | undefined): void
  /** Whether a tool result is shown shortened, so that the model needs a way to read on. */
  readonly hasLongResults: boolean
  /** The most tokens that one result may take in a request. */
  readonly resultTokens: number
  /** Other runs have added to the session: what was before this run is not what it was. */
  rebase(history: readonly Message[]): Promise<void>
  readonly compaction: Compaction
}

/** By how much tokens may be counted on the high side. */
const highSide = 2.5

type Counted = { info: ModelInfo | undefined; count: number; tokens: number }

type ConversationOptions = {
  instruction: string | undefined
  history: readonly Message[]
  /** What the run itself has so far, the user's message first. */
  messages: readonly Message[]
  /** As it was stored. */
  compaction: unknown
  summarise(messages: Message[], maxOutputTokens: number): Promise<string>
  /** The model whose room the stored conversation is made for. */
  preferred: Model | undefined
  /** Stores what has been compacted. */
  onCompacted(compaction: Compaction): Promise<void>
  warnings: string[]
}

export function createConversation(options: ConversationOptions): Conversation {
  const { instruction, summarise, preferred, onCompacted, warnings } = options
  const system: Message[] = instruction ? [{ v: 1, role: 'system', content: instruction }] : []
  const wholeResults = new Map<string, string>()
  let questionAt = options.history.length
  let messages = options.history.concat(options.messages)
  let compaction = readCompaction(options.compaction, messages)
  let aside: Message[] = []
  let resultTokens = Number.POSITIVE_INFINITY
  let hasLongResults = false
  /** Learnt from a model that found a request too long. */
  let narrow = Number.POSITIVE_INFINITY
  /** Messages from the beginning that were looked at for long results. */
  let looked = 0
  /** What the first messages take, while they are shown as they are. */
  let counted: Counted = { info: undefined, count: 0, tokens: 0 }

  const tokensOf = (shown: readonly Message[], info: ModelInfo | undefined): number => {
    if (shown !== messages) return shown.reduce((tokens, message) => tokens + estimateMessage(message, info), 0)
    if (counted.info !== info) counted = { info, count: 0, tokens: 0 }
    for (const message of messages.slice(counted.count)) counted.tokens += estimateMessage(message, info)
    counted.count = messages.length
    return counted.tokens
  }
  const show = (): readonly Message[] => shownMessages(messages, compaction, questionAt, resultTokens)
  const lookForLongResults = (): void => {
    for (; looked < messages.length; looked++) {
      const message = messages[looked]
      if (message?.role === 'tool' && isLong(message, resultTokens)) hasLongResults = true
    }
  }
  const compactTo = ({ info }: Model, room: number): ReturnType<typeof compact> => {
    return compact({ messages, compaction, questionAt, room, resultTokens, info, summarise })
  }
  const makeRoomFor = async (model: Model, room: number): Promise<void> => {
    const made = await compactTo(model, room).catch((error) => {
      if (!isOverflow(error)) throw error
      // Counted on the high side: what seems to take more than the room may fit, and the model will say.
      return compactTo(model, room * highSide + filesIn(messages[questionAt], model)).catch((stop) => {
        throw isOverflow(stop) ? error : stop
      })
    })
    warnings.push(...made.warnings)
    compaction = made.compaction
    // What a model that stands in has less room for, the preferred one is shown again in the next run.
    if (model === preferred) await onCompacted(compaction)
  }

  return {
    add(message) {
      messages.push(message)
      lookForLongResults()
    },
    setAside(more) {
      aside = more
    },
    async requestFor(model, rest) {
      const room = Math.min(narrow, roomOf(model.info, { ...rest, messages: [...system, ...aside] }))
      const perResult = Math.max(1, Math.floor(room / 4))
      if (perResult !== resultTokens) looked = 0
      resultTokens = perResult
      lookForLongResults()
      const isSmall = room === Number.POSITIVE_INFINITY || mostTokens(messages, room) <= room
      if (!isSmall && tokensOf(show(), model.info) > room) await makeRoomFor(model, room)
      // `concat` copies a long list several times faster than spreading it.
      return { ...rest, messages: system.concat(show(), aside) }
    },
    async makeRoom(model) {
      const before = tokensOf(show(), model.info)
      narrow = Math.floor(before / 2)
      try {
        await makeRoomFor(model, narrow)
      } catch (error) {
        if (isOverflow(error)) return false
        throw error
      }
      return tokensOf(show(), model.info) < before
    },
    findResult(callId) {
      const isWanted = (message: Message): boolean => message.role === 'tool' && message.callId === callId
      const message = messages.findLast(isWanted)
      return wholeResults.get(callId) ?? (message?.role === 'tool' ? resultText(message) : undefined)
    },
    keepWhole(callId, text) {
      // Some providers give later calls the ids of earlier ones.
      if (text === undefined) {
        wholeResults.delete(callId)
        return
      }
      wholeResults.set(callId, text)
      hasLongResults = true
      const [oldest] = wholeResults.keys()
      if (wholeResults.size > limits.wholeResults && oldest !== undefined) wholeResults.delete(oldest)
    },
    get hasLongResults() {
      return hasLongResults || compaction.cleared > 0 || compaction.cut !== undefined
    },
    get resultTokens() {
      return resultTokens
    },
    async rebase(history) {
      messages = [...history, ...messages.slice(questionAt)]
      questionAt = history.length
      looked = counted.count = counted.tokens = 0
      // Also what another run has stored meanwhile: it stands for messages that this run now adds to.
      compaction = notCompacted
      await onCompacted(compaction)
    },
    get compaction() {
      return compaction
    },
  }
}

/** How many tokens the messages of a request may take: the window without the answer and all else in the request. */
function roomOf(info: ModelInfo | undefined, request: ModelRequest): number {
  const window = info?.contextWindow
  if (window === undefined) return Number.POSITIVE_INFINITY
  const answer = Math.min(info?.maxOutputTokens ?? window / 8, window / 3)
  const rest = estimateRequest(request, info)
  const room = Math.floor(window - answer - rest)
  if (room > window / 8) return room
  const atMost = Math.floor(window - answer - rest / highSide)
  if (atMost > 0) return atMost
  throw new AgentKitError(
    'context-overflow',
    `The instruction and the tools take about ${rest} tokens, and the model has a window of ${window}. Shorten them, or ` +
      'use a model with a larger context window.',
  )
}

/** So many tokens at most, by length alone: most conversations are far from filling a window, and need no counting. */
function mostTokens(messages: readonly Message[], enough: number): number {
  let tokens = 0
  for (const { content } of messages) {
    tokens += 64
    if (typeof content === 'string') tokens += content.length * 4
    else for (const part of content) tokens += mostOfPart(part)
    if (tokens > enough) break
  }
  return tokens
}

function mostOfPart(part: Exclude<Message['content'][number], string>): number {
  // Of what a text or a call carries for its provider nobody sees the length, and of images and files neither.
  if ('opaque' in part && part.opaque) return Number.POSITIVE_INFINITY
  if (part.type === 'text') return 32 + part.text.length * 4
  if (part.type !== 'tool-call') return Number.POSITIVE_INFINITY
  return 64 + (part.name.length + (part.inputText ?? JSON.stringify(part.input) ?? '').length) * 4
}

/** What a question's files and images may take: so wild a guess that the model is asked rather than the user refused. */
function filesIn(question: Message | undefined, { info }: Model): number {
  const hasFiles = Array.isArray(question?.content) && question.content.some(({ type }) => type !== 'text')
  return question && hasFiles ? estimateMessage(question, info) : 0
}

function isOverflow(error: unknown): boolean {
  return isAgentKitError(error) && error.code === 'context-overflow'
}

function isLong(message: ToolMessage, tokens: number): boolean {
  if (isCut(message)) return true
  // No character takes more than four tokens, so most results need no counting.
  return typeof message.content === 'string' && message.content.length * 4 <= tokens
    ? false
    : estimateMessage(message) > tokens
}
