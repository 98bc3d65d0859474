import { convertedOfRun, type Model, type ModelInfo, type ModelRequest } from '../contracts/model.ts'
import { isAgentKitError } from '../data/errors.ts'
import type { Message, ToolMessage } from '../data/message.ts'
import { limits } from '../limits.ts'
import { estimateMessage } from '../tokens/estimate-tokens.ts'
import { isCut } from '../util/text/cut-text.ts'
import { type Compaction, compactedView, notCompacted, readCompaction } from './compacted-view.ts'
import { compact } from './compaction.ts'
import { resultText } from './long-results.ts'
import { filesIn, fitsIn, highSide, mostTokens, roomOf } from './room.ts'

/** The messages of a run, shortened to the room that a model has for them. */
export interface Conversation {
  add(message: Message): void
  /**
   * Adds messages that are sent and never stored. They stay in their place for the rest of the run, as providers have
   * cached them there, unless there is no room.
   */
  addUnstored(messages: Message[]): void
  unstored(): UnstoredMessage[]
  /** A request with the messages, compacted where they do not fit. */
  requestFor(model: Model, rest: Omit<ModelRequest, 'messages'>): Promise<ModelRequest>
  /**
   * Called when a model has rejected a request as too long: compacts the messages to about half.
   * @returns whether they are shorter now
   */
  makeRoom(model: Model): Promise<boolean>
  /** The whole text of a call's result. */
  findResult(callId: string): string | undefined
  /** Keeps the whole text of a result that is stored cut, while the run lasts. */
  keepWhole(callId: string, text: string | undefined): void
  /** Whether any tool result is shortened, so that the model needs a tool to read on. */
  hasLongResults(): boolean
  /** Whether the run has begun with so much that its results are likely to be shortened. */
  hasBegunLong(): boolean
  /** The most tokens that one result may take in a request. */
  resultTokens(): number
  /** Replaces the messages before this run: other runs have added to the session. */
  rebase(history: readonly Message[]): Promise<void>
  compaction(): Compaction
}

/** A message that is sent after `after` messages of the run. Plain JSON. */
export type UnstoredMessage = { after: number; message: Message }

type Counted = { info: ModelInfo | undefined; count: number; tokens: number }

type ConversationOptions = {
  instruction: string | undefined
  history: readonly Message[]
  /** A text that is inserted before the question, and is not stored. */
  notes: string | undefined
  /** The messages of the run itself, the user's first. */
  messages: readonly Message[]
  /** As it is stored in the session. */
  compaction: unknown
  /** Of a run that continues. */
  unstored?: readonly UnstoredMessage[] | undefined
  summarize(messages: Message[], maxOutputTokens: number): Promise<string>
  /** The stored compaction is made for the room of this model. */
  preferred: Model | undefined
  /** Stores the compaction. */
  onCompacted(compaction: Compaction): Promise<void>
  warnings: string[]
}

/** Of a run with fewer messages each is converted for each request: to keep them would take as long. */
const longRun = 8

export function createConversation(options: ConversationOptions): Conversation {
  const { instruction, summarize, preferred, onCompacted, warnings } = options
  const system: Message[] = instruction ? [{ v: 1, role: 'system', content: instruction }] : []
  const noted: Message[] = options.notes === undefined ? [] : [{ v: 1, role: 'user', content: options.notes }]
  const wholeResults = new Map<string, string>()
  let questionAt = options.history.length
  let messages = options.history.concat(options.messages)
  let compaction = readCompaction(options.compaction, messages)
  let unstored: readonly UnstoredMessage[] = options.unstored ?? []
  let resultTokens = Number.POSITIVE_INFINITY
  let hasResults = false
  let hasLongResults = false
  let hasBegunLong: boolean | undefined
  let converted: Map<object, unknown> | undefined
  /** Set when a model rejects a request as too long. */
  let narrow = Number.POSITIVE_INFINITY
  /** The number of messages, from the first, that were checked for long results. */
  let checked = 0
  /** The tokens of the first messages, while nothing is compacted. */
  let counted: Counted = { info: undefined, count: 0, tokens: 0 }

  const tokensOf = (shown: readonly Message[], info: ModelInfo | undefined): number => {
    if (shown !== messages) return shown.reduce((tokens, message) => tokens + estimateMessage(message, info), 0)
    if (counted.info !== info) counted = { info, count: 0, tokens: 0 }
    for (const message of messages.slice(counted.count)) counted.tokens += estimateMessage(message, info)
    counted.count = messages.length
    return counted.tokens
  }
  const show = (): readonly Message[] => compactedView(messages, compaction, questionAt, resultTokens)
  /** Before the question, so that what precedes it is the same whatever was noted meanwhile. */
  const withNotes = (shown: readonly Message[]): readonly Message[] => {
    if (noted.length === 0) return shown
    const { covered } = compaction
    const at = covered > questionAt ? 1 : questionAt - covered + (covered > 0 ? 1 : 0)
    return [...shown.slice(0, at), ...noted, ...shown.slice(at)]
  }
  const checkForLongResults = (): void => {
    for (; checked < messages.length; checked++) {
      const message = messages[checked]
      if (message?.role !== 'tool') continue
      hasResults = true
      if (isLong(message, resultTokens)) hasLongResults = true
    }
  }
  const showAll = (): readonly Message[] => {
    const shown = show()
    if (unstored.length === 0) return shown
    // The shown messages end as `messages` do; a summary replaces the earlier ones.
    const moved = shown.length - messages.length
    const all = [...shown]
    for (const { after, message } of unstored.toReversed()) {
      const index = questionAt + after
      if (index >= compaction.covered) all.splice(index + moved, 0, message)
    }
    return all
  }
  const roomBesideUnstored = (room: number, info: ModelInfo | undefined): number => {
    const tokens = unstored.reduce((sum, { message }) => sum + estimateMessage(message, info), 0)
    return room - tokens > room / 8 ? room - tokens : Math.max(1, room - tokens / highSide)
  }
  const fits = (room: number, info: ModelInfo | undefined): boolean =>
    room === Number.POSITIVE_INFINITY || mostTokens(messages, room) <= room || tokensOf(show(), info) <= room
  const compactTo = ({ info }: Model, room: number): ReturnType<typeof compact> => {
    return compact({ messages, compaction, questionAt, room, resultTokens, info, summarize })
  }
  const makeRoomFor = async (model: Model, room: number): Promise<void> => {
    const made = await compactTo(model, room).catch((error) => {
      if (!isOverflow(error)) throw error
      // The estimate is high: messages that seem to exceed the room may fit, which the model then decides.
      return compactTo(model, room * highSide + filesIn(messages[questionAt], model)).catch((stop) => {
        throw isOverflow(stop) ? error : stop
      })
    })
    warnings.push(...made.warnings)
    compaction = made.compaction
    // A fallback model may have less room: what it required is not stored, so the preferred model receives it again.
    if (model === preferred) await onCompacted(compaction)
  }

  return {
    add(message) {
      messages.push(message)
      checkForLongResults()
    },
    addUnstored(added) {
      const after = messages.length - questionAt
      unstored = [...unstored, ...added.map((message) => ({ after, message }))]
    },
    unstored: () => [...unstored],
    async requestFor(model, rest) {
      const room = Math.min(narrow, roomOf(model.info, { ...rest, messages: [...system, ...noted] }))
      const perResult = Math.max(1, Math.floor(room / 4))
      if (perResult !== resultTokens) checked = 0
      resultTokens = perResult
      checkForLongResults()
      hasBegunLong ??= !fitsIn(messages.slice(0, questionAt + 1), room / 2, model.info)
      if (!fits(roomBesideUnstored(room, model.info), model.info)) {
        // The earlier ones have served.
        unstored = unstored.filter(({ after }) => questionAt + after === messages.length)
        const left = roomBesideUnstored(room, model.info)
        if (!fits(left, model.info)) await makeRoomFor(model, left)
      }
      // `concat` copies a long list several times faster than spreading it.
      const request = { ...rest, messages: system.concat(withNotes(showAll())) }
      if (messages.length - questionAt < longRun) return request
      converted ??= new Map()
      return { ...request, [convertedOfRun]: converted }
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
      // Some providers reuse the ids of earlier calls.
      if (text === undefined) {
        wholeResults.delete(callId)
        return
      }
      wholeResults.set(callId, text)
      hasLongResults = true
      const [oldest] = wholeResults.keys()
      if (wholeResults.size > limits.wholeResults && oldest !== undefined) wholeResults.delete(oldest)
    },
    hasLongResults: () => hasLongResults || (hasResults && (compaction.cleared > 0 || compaction.cut !== undefined)),
    hasBegunLong: () => hasBegunLong === true,
    resultTokens: () => resultTokens,
    async rebase(history) {
      messages = [...history, ...messages.slice(questionAt)]
      questionAt = history.length
      checked = counted.count = counted.tokens = 0
      // The stored compaction too: it is of the messages before the other runs.
      compaction = notCompacted
      await onCompacted(compaction)
    },
    compaction: () => compaction,
  }
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
