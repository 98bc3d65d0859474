import type { AgentEvent } from '../../data/event.ts'

/**
 * Decides whose events a caller sees: those of the agent itself, and in a handoff those of the member that has the
 * conversation. The answer of a member that was called by a tool goes to its caller only.
 */
export class Speakers {
  readonly #openCalls: Set<string>
  readonly #speaker: string | undefined
  #active: string | undefined

  /**
   * @param continued of a run that continues: the calls of the agent itself that have no result yet, and the path of the
   *   member that has the conversation
   * @param speaker of `Runnable.speaker`: where it is the agent itself, no member has the conversation
   */
  constructor({
    openCalls = [],
    active,
    speaker,
  }: {
    openCalls?: Iterable<string>
    active?: readonly string[]
    speaker?: string | undefined
  } = {}) {
    this.#openCalls = new Set(openCalls)
    this.#speaker = speaker
    this.#active = active?.join('/')
  }

  /** @returns whether the event is shown: the agent itself, or the member that has the conversation, has emitted it */
  isShown(event: AgentEvent): boolean {
    const isOwn = event.path.length <= 1
    if (this.#speaker !== undefined && this.#speaker === event.path[0]) return isOwn
    if (isOwn && event.type === 'tool-call') this.#openCalls.add(event.callId)
    if (isOwn && event.type === 'tool-result') this.#openCalls.delete(event.callId)
    // Without a call of the agent itself, the conversation is handed to a member.
    if (event.type === 'agent-start' && event.path.length === 2 && this.#openCalls.size === 0) {
      this.#active = event.path.join('/')
    }
    return isOwn || event.path.join('/') === this.#active
  }
}
