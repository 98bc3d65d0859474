import { hash } from 'node:crypto'

/**
 * Gives the tool calls of a conversation ids that fit a wire and are unique in it: some servers count calls from 0 in
 * every answer, and so repeat theirs for ever.
 */
export class CallIds {
  readonly #toWireId: (callId: string) => string
  readonly #before: CallIds | undefined
  readonly #times = new Map<string, number>()

  /**
   * @param toWireId gives an id as the wire takes it; the same for the same id
   * @param before the ids of an earlier part of the conversation, which this leaves as they are
   */
  constructor(toWireId: (callId: string) => string, before?: CallIds) {
    this.#toWireId = toWireId
    this.#before = before
  }

  take(callId: string): string {
    const wireId = this.#toWireId(callId)
    const times = this.#timesTaken(wireId)
    this.#times.set(wireId, times + 1)
    return times === 0 ? wireId : this.take(`${callId}_${times + 1}`)
  }

  #timesTaken(wireId: string): number {
    const times = this.#times.get(wireId)
    if (times !== undefined) return times
    return this.#before === undefined ? 0 : this.#before.#timesTaken(wireId)
  }
}

/**
 * A tool call's id as a wire takes it: itself where it fits, else a hash of it, the same for each call and result of
 * each request. Ids come from other providers too, and some are hundreds of characters long.
 *
 * @param maxLength in characters; at least 37
 */
export function wireCallId(callId: string, maxLength: number): string {
  if (callId.length <= maxLength && safe.test(callId)) return callId
  return `call_${hash('sha256', callId).slice(0, 32)}`
}

const safe = /^[\w.:-]+$/

/**
 * The name of a call that a model made, as a wire takes it back: models call names that no tool has
 * (`multi_tool_use.parallel`), and a provider refuses a conversation that holds one.
 */
export function wireToolName(name: string): string {
  return name.replace(/[^\w-]/g, '_').slice(0, 64) || 'unknown'
}
