import type { Message } from '@agentkit/core'

/** The runs of a session that had ended when they were read, in sums over their rows. */
export type KeptRuns = {
  /** The number of the last of them, and its id where the number of a deleted run is used again. */
  last: number
  lastId?: unknown
  count: number
  attempts: number
  replaced: number
  done: number
}

/** The conversation of a session up to a run that has ended. Many runs share it, so its messages are frozen. */
export type KeptMessages = {
  messages: readonly Message[]
  runs: KeptRuns
  /** The length of the messages as they are stored. */
  chars: number
}

export const noMessages: KeptMessages = {
  messages: [],
  runs: { last: 0, count: 0, attempts: 0, replaced: 0, done: 0 },
  chars: 0,
}

/**
 * The messages of the sessions that were loaded last, so that a turn parses only the messages of the turn before it.
 */
export class MessageCache {
  readonly #kept = new Map<number, KeptMessages>()
  readonly #most: { sessions: number; chars: number }
  #chars = 0

  constructor(most = { sessions: 64, chars: 16_000_000 }) {
    this.#most = most
  }

  get(session: number): KeptMessages | undefined {
    return this.#kept.get(session)
  }

  /** Keeps the messages of a session, and forgets those that were kept the longest ago. */
  set(session: number, kept: KeptMessages): void {
    this.forget(session)
    this.#kept.set(session, kept)
    this.#chars += kept.chars
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= this.#most.sessions && this.#chars <= this.#most.chars) return
      this.forget(oldest)
    }
  }

  forget(session: number): void {
    this.#chars -= this.#kept.get(session)?.chars ?? 0
    this.#kept.delete(session)
  }
}
