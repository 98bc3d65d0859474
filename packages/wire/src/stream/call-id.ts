import type { Message } from '@agentkit/core'

/** The values that SDKs and servers send in place of a missing id. */
const placeholders: ReadonlySet<unknown> = new Set(['', 'null', 'undefined'])

/** Whether a server has given a call an id. */
export function isCallId(id: unknown): id is string {
  return typeof id === 'string' && !placeholders.has(id)
}

export function newCallId(): string {
  return `call_${crypto.randomUUID().replaceAll('-', '')}`
}

/** The ids of the calls of one answer, unique in its conversation: some servers count calls from 0 in every answer. */
export class OwnCallIds {
  readonly #messages: readonly Message[]
  #earlier: ReadonlySet<string> | undefined
  readonly #replaced = new Map<string, string>()

  /** @param messages of the request */
  constructor(messages: readonly Message[]) {
    this.#messages = messages
  }

  /** The id that the server has given, or its replacement, which stays the same. */
  of(given: string): string {
    this.#earlier ??= idsIn(this.#messages)
    if (!this.#earlier.has(given)) return given
    const own = this.#replaced.get(given) ?? newCallId()
    this.#replaced.set(given, own)
    return own
  }
}

function idsIn(messages: readonly Message[]): ReadonlySet<string> {
  const ids = new Set<string>()
  for (const message of messages) {
    if (message.role !== 'assistant') continue
    for (const part of message.content) if (part.type === 'tool-call') ids.add(part.callId)
  }
  return ids
}
