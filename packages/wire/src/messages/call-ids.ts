import { sha256 } from '@agentkit/core/internal'

/**
 * Assigns ids to the tool calls of a conversation that an API accepts and that are unique: some servers count calls from 0
 * in every answer.
 */
export class CallIds {
  readonly #toWireId: (callId: string) => string
  readonly #before: CallIds | undefined
  readonly #times = new Map<string, number>()

  /**
   * @param toWireId converts an id to one that the API accepts; deterministic
   * @param before the ids of an earlier part of the conversation, which do not change
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
 * A tool call's id in a form that every API accepts: the id itself if possible, else a hash of it, which is the same in
 * every request. Ids come from other providers too, and may have hundreds of characters.
 *
 * @param maxLength in characters; at least 37
 */
export function wireCallId(callId: string, maxLength: number): string {
  if (callId.length <= maxLength && safe.test(callId)) return callId
  return `call_${sha256(callId).slice(0, 32)}`
}

const safe = /^[\w.:-]+$/

/**
 * The name of a tool call in a form that every API accepts: models call tools that do not exist
 * (`multi_tool_use.parallel`), and providers reject a conversation with such a name.
 */
export function wireToolName(name: string): string {
  return name.replace(/[^\w-]/g, '_').slice(0, 64) || 'unknown'
}
