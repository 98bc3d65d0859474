import { withConverted } from '../contracts/converted-of-run.ts'
import type { Model, ModelInfo, ModelRequest } from '../contracts/model.ts'
import { isAgentKitError } from '../data/errors.ts'
import type { Message } from '../data/message.ts'
import { estimateMessage } from '../tokens/estimate-tokens.ts'
import { type Compaction, compactedView, notCompacted, readCompaction } from './compacted-view.ts'
import { compact } from './compaction.ts'
import { resultText } from './long-results.ts'
import { ResultLengths } from './result-lengths.ts'
import { filesIn, fitsIn, highSide, mostTokens, roomBeside } from './room.ts'

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

/** The messages of a run, shortened to the room that a model has for them. */
export class Conversation {
  readonly #options: Pick<ConversationOptions, 'summarize' | 'preferred' | 'onCompacted' | 'warnings'>
  readonly #system: readonly Message[]
  /** The text before the question that is not stored. */
  readonly notes: string | undefined
  readonly #noted: readonly Message[]
  #questionAt: number
  #messages: Message[]
  #compaction: Compaction
  #unstored: readonly UnstoredMessage[]
  readonly #results = new ResultLengths()
  #hasBegunLong: boolean | undefined
  #converted: Map<object, unknown> | undefined
  /** Set when a model rejects a request as too long. */
  #narrow = Number.POSITIVE_INFINITY
  /** The tokens of the first messages, while nothing is compacted. */
  #counted: Counted = { info: undefined, count: 0, tokens: 0 }

  constructor(options: ConversationOptions) {
    const { instruction, notes, history, messages, compaction, unstored = [] } = options
    const { summarize, preferred, onCompacted, warnings } = options
    this.#options = { summarize, preferred, onCompacted, warnings }
    this.#system = instruction ? [{ v: 1, role: 'system', content: instruction }] : []
    this.notes = notes
    this.#noted = notes === undefined ? [] : [{ v: 1, role: 'user', content: notes }]
    this.#questionAt = history.length
    this.#messages = history.concat(messages)
    this.#compaction = readCompaction(compaction, this.#messages)
    this.#unstored = unstored
  }

  add(message: Message): void {
    this.#messages.push(message)
    this.#results.check(this.#messages)
  }

  /**
   * Adds messages that are sent and never stored. They stay in their place for the rest of the run, as providers have
   * cached them there, unless there is no room.
   */
  addUnstored(added: Message[]): void {
    const after = this.#messages.length - this.#questionAt
    this.#unstored = [...this.#unstored, ...added.map((message) => ({ after, message }))]
  }

  unstored(): UnstoredMessage[] {
    return [...this.#unstored]
  }

  /** A request with the messages, compacted where they do not fit. */
  async requestFor(model: Model, rest: Omit<ModelRequest, 'messages'>): Promise<ModelRequest> {
    const { info } = model
    const { room: most, isLeftOut } = roomBeside(this.#noted, info, { ...rest, messages: [...this.#system] })
    if (isLeftOut)
      this.#warnOnce(`The notes about the user take most of the window of "${model.id}", and were left out.`)
    const room = Math.min(this.#narrow, most)
    this.#results.limit(Math.max(1, Math.floor(room / 4)))
    this.#results.check(this.#messages)
    this.#hasBegunLong ??= !fitsIn(this.#messages.slice(0, this.#questionAt + 1), room / 2, info)
    if (!this.#fits(this.#roomBesideUnstored(room, info), info)) {
      // The earlier ones have served.
      this.#unstored = this.#unstored.filter(({ after }) => this.#questionAt + after === this.#messages.length)
      const left = this.#roomBesideUnstored(room, info)
      if (!this.#fits(left, info)) await this.#makeRoomFor(model, left)
    }
    // `concat` copies a long list several times faster than spreading it.
    const request = {
      ...rest,
      messages: this.#system.concat(this.#withNotes(this.#showAll(), isLeftOut ? [] : this.#noted)),
    }
    if (this.#messages.length - this.#questionAt < longRun) return request
    this.#converted ??= new Map()
    return withConverted(request, this.#converted)
  }

  /**
   * Called when a model has rejected a request as too long: compacts the messages to about half.
   * @returns whether they are shorter now
   */
  async makeRoom(model: Model): Promise<boolean> {
    const before = this.#tokensOf(this.#show(), model.info)
    this.#narrow = Math.floor(before / 2)
    try {
      await this.#makeRoomFor(model, this.#narrow)
    } catch (error) {
      if (isOverflow(error)) return false
      throw error
    }
    return this.#tokensOf(this.#show(), model.info) < before
  }

  /** The whole text of a call's result. */
  findResult(callId: string): string | undefined {
    const isWanted = (message: Message): boolean => message.role === 'tool' && message.callId === callId
    const message = this.#messages.findLast(isWanted)
    return this.#results.wholeText(callId) ?? (message?.role === 'tool' ? resultText(message) : undefined)
  }

  /** Keeps the whole text of a result that is stored cut, while the run lasts. */
  keepWhole(callId: string, text: string | undefined): void {
    this.#results.keepWhole(callId, text)
  }

  /** Whether any tool result is shortened, so that the model needs a tool to read on. */
  hasLongResults(): boolean {
    const { cleared, cut } = this.#compaction
    return this.#results.hasLong || (this.#results.hasAny && (cleared > 0 || cut !== undefined))
  }

  /** Whether the run has begun with so much that its results are likely to be shortened. */
  hasBegunLong(): boolean {
    return this.#hasBegunLong === true
  }

  /** The most tokens that one result may take in a request. */
  resultTokens(): number {
    return this.#results.maxTokens
  }

  /** Replaces the messages before this run: other runs have added to the session. */
  async rebase(history: readonly Message[]): Promise<void> {
    this.#messages = [...history, ...this.#messages.slice(this.#questionAt)]
    this.#questionAt = history.length
    this.#results.checkAgain()
    this.#counted.count = this.#counted.tokens = 0
    // The stored compaction too: it is of the messages before the other runs.
    this.#compaction = notCompacted
    await this.#options.onCompacted(this.#compaction)
  }

  compaction(): Compaction {
    return this.#compaction
  }

  #tokensOf(shown: readonly Message[], info: ModelInfo | undefined): number {
    if (shown !== this.#messages) return shown.reduce((tokens, message) => tokens + estimateMessage(message, info), 0)
    if (this.#counted.info !== info) this.#counted = { info, count: 0, tokens: 0 }
    const counted = this.#counted
    for (const message of this.#messages.slice(counted.count)) counted.tokens += estimateMessage(message, info)
    counted.count = this.#messages.length
    return counted.tokens
  }

  #show(): readonly Message[] {
    return compactedView(this.#messages, this.#compaction, this.#questionAt, this.#results.maxTokens)
  }

  #showAll(): readonly Message[] {
    const shown = this.#show()
    if (this.#unstored.length === 0) return shown
    // The shown messages end as `#messages` do; a summary replaces the earlier ones.
    const moved = shown.length - this.#messages.length
    const all = [...shown]
    for (const { after, message } of this.#unstored.toReversed()) {
      const index = this.#questionAt + after
      if (index >= this.#compaction.covered) all.splice(index + moved, 0, message)
    }
    return all
  }

  /** Before the question, so that what precedes it does not change when notes are added meanwhile. */
  #withNotes(shown: readonly Message[], noted: readonly Message[]): readonly Message[] {
    if (noted.length === 0) return shown
    const { covered } = this.#compaction
    const at = covered > this.#questionAt ? 1 : this.#questionAt - covered + (covered > 0 ? 1 : 0)
    return [...shown.slice(0, at), ...noted, ...shown.slice(at)]
  }

  #warnOnce(warning: string): void {
    const { warnings } = this.#options
    if (!warnings.includes(warning)) warnings.push(warning)
  }

  #roomBesideUnstored(room: number, info: ModelInfo | undefined): number {
    const tokens = this.#unstored.reduce((sum, { message }) => sum + estimateMessage(message, info), 0)
    return room - tokens > room / 8 ? room - tokens : Math.max(1, room - tokens / highSide)
  }

  #fits(room: number, info: ModelInfo | undefined): boolean {
    if (room === Number.POSITIVE_INFINITY || mostTokens(this.#messages, room) <= room) return true
    return this.#tokensOf(this.#show(), info) <= room
  }

  async #makeRoomFor(model: Model, room: number): Promise<void> {
    const { preferred, onCompacted, warnings } = this.#options
    const made = await this.#compactTo(model, room).catch((error) => {
      if (!isOverflow(error)) throw error
      // The estimate is high: messages that seem to exceed the room may fit, which the model then decides.
      const question = this.#messages[this.#questionAt]
      return this.#compactTo(model, room * highSide + filesIn(question, model)).catch((stop) => {
        throw isOverflow(stop) ? error : stop
      })
    })
    warnings.push(...made.warnings)
    this.#compaction = made.compaction
    // A fallback model may have less room: what it required is not stored, so the preferred model receives it again.
    if (model === preferred) await onCompacted(made.compaction)
  }

  #compactTo({ info }: Model, room: number): ReturnType<typeof compact> {
    return compact({
      ...{ messages: this.#messages, compaction: this.#compaction, questionAt: this.#questionAt },
      ...{ room, resultTokens: this.#results.maxTokens, info, summarize: this.#options.summarize },
    })
  }
}

function isOverflow(error: unknown): boolean {
  return isAgentKitError(error) && error.code === 'context-overflow'
}
