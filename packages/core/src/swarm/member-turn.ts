import type { JSONValue, Message } from '../data/message.ts'
import type { OpenTurn } from '../sessions/open-turn.ts'

/** The turn of a member's run: it is a part of its swarm's, which stores what has to be stored. */
export type MemberTurn = OpenTurn & {
  /** What it waits with, once it does. */
  readonly waiting: { step: JSONValue; messages: readonly Message[] } | undefined
}

/** @param history what the member is shown before its task */
export function memberTurn(history: readonly Message[]): MemberTurn {
  let state: JSONValue | undefined
  let waiting: MemberTurn['waiting']
  return {
    history,
    get state() {
      return state
    },
    get waiting() {
      return waiting
    },
    async append(_messages, newState) {
      if (newState !== undefined) state = newState
    },
    async park(step, _usage, messages) {
      waiting = { step, messages: [...messages] }
    },
    // Nobody decides in a member's own run: its swarm has it go on anew.
    reopen: async () => ({ moved: false }),
    async end() {},
    release() {},
  }
}
