import type { Message, ToolMessage } from '../data/message.ts'
import { limits } from '../limits.ts'
import { estimateMessage } from '../tokens/estimate-tokens.ts'
import { isCut } from '../util/text/cut-text.ts'

/** Which results of a conversation are longer than a request shows, and the whole texts of those that are stored cut. */
export class ResultLengths {
  /** The most tokens that one result may take in a request. */
  maxTokens: number = Number.POSITIVE_INFINITY
  hasAny: boolean = false
  hasLong: boolean = false
  /** The number of messages, from the first, that were checked. */
  #checked = 0
  /** By the ids of their calls. */
  #wholeTexts: Map<string, string> | undefined

  limit(maxTokens: number): void {
    if (maxTokens !== this.maxTokens) this.checkAgain()
    this.maxTokens = maxTokens
  }

  /** Checks the messages that were added since the last call. */
  check(messages: readonly Message[]): void {
    for (; this.#checked < messages.length; this.#checked++) {
      const message = messages[this.#checked]
      if (message?.role !== 'tool') continue
      this.hasAny = true
      if (isLong(message, this.maxTokens)) this.hasLong = true
    }
  }

  /** Lets the next check begin with the first message. */
  checkAgain(): void {
    this.#checked = 0
  }

  keepWhole(callId: string, text: string | undefined): void {
    // Some providers reuse the ids of earlier calls.
    if (text === undefined) {
      this.#wholeTexts?.delete(callId)
      return
    }
    this.#wholeTexts ??= new Map()
    this.#wholeTexts.set(callId, text)
    this.hasLong = true
    const [oldest] = this.#wholeTexts.keys()
    if (this.#wholeTexts.size > limits.wholeResults && oldest !== undefined) this.#wholeTexts.delete(oldest)
  }

  wholeText(callId: string): string | undefined {
    return this.#wholeTexts?.get(callId)
  }
}

function isLong(message: ToolMessage, tokens: number): boolean {
  if (isCut(message)) return true
  // No character takes more than four tokens, so most results need no counting.
  return typeof message.content === 'string' && message.content.length * 4 <= tokens
    ? false
    : estimateMessage(message) > tokens
}
