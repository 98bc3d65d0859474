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
