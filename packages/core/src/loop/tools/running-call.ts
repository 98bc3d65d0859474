import type { ToolCall } from '../../contracts/model.ts'
import type { ToolContext } from '../../contracts/tool.ts'
import type { Decision } from '../../data/approval-data.ts'
import type { Citation } from '../../data/citation.ts'
import type { JSONValue } from '../../data/message.ts'
import type { Deadline } from '../../policies/deadline.ts'
import { approvalIdOf, placeOf } from '../../runs/decisions/approval-id.ts'
import { checkCitations } from '../../tools/check-citations.ts'
import type { Run } from '../run/types.ts'
import { idempotencyKey } from './tool-attempt.ts'

/**
 * A tool call while it runs, as its tool receives it. What only agentkit's own tools may use is private: a map from contexts to
 * runs would keep a run that has ended, as a minor garbage collection of V8 keeps the values of an older map.
 */
export class RunningCall implements ToolContext {
  readonly signal: AbortSignal
  readonly userId: string
  // Absent outside a session, where a field would be `undefined`.
  declare readonly sessionId?: string
  readonly runId: string
  readonly callId: string
  readonly idempotencyKey: string
  readonly cite: ToolContext['cite']
  readonly #run: Run
  readonly #name: string
  readonly #deadline: Deadline
  #questions = 0
  #hasEnded = false
  // Few calls ask: a controller for each, and its abort, would take longer than a short tool.
  #end: AbortController | undefined

  /** @param sources of its result, to which it adds what it cites */
  constructor(run: Run, call: ToolCall, deadline: Deadline & { signal: AbortSignal }, sources: Citation[]) {
    const { userId, sessionId, runId } = run.hookContext
    this.signal = deadline.signal
    this.userId = userId
    if (sessionId !== undefined) this.sessionId = sessionId
    this.runId = runId
    this.callId = call.callId
    this.idempotencyKey = idempotencyKey(run, call)
    this.cite = (cited) => {
      // Not `push(...)`: a tool may cite more than a call takes arguments.
      for (const citation of checkCitations(cited)) sources.push(citation)
    }
    this.#run = run
    this.#name = call.name
    this.#deadline = deadline
  }

  /** The run that makes a call: for the tools of members. */
  static runOf(context: ToolContext): Run {
    if (#run in context) return context.#run
    throw new TypeError('A member can be called by its swarm alone.')
  }

  /** See `askPerson`. */
  static ask(
    context: ToolContext,
    input: JSONValue,
    given: AbortSignal | undefined,
  ): Promise<Decision | undefined> | undefined {
    return #run in context && !context.#hasEnded ? context.#ask(input, given) : undefined
  }

  async #ask(input: JSONValue, given: AbortSignal | undefined): Promise<Decision | undefined> {
    this.#end ??= new AbortController()
    const signal = AbortSignal.any([this.signal, this.#end.signal, ...(given ? [given] : [])])
    const { scope, ledger } = this.#run
    const { callId } = this
    this.#questions++
    // Not the id of the call's own approval, which the call may have needed before it ran.
    const approvalId = approvalIdOf(placeOf(this.#run), `${callId}?${this.#questions}`)
    const releases = [this.#deadline.hold(), ledger.hold()]
    try {
      return await scope.ask({ approvalId, callId, name: this.#name, input, kind: 'approval' }, signal)
    } finally {
      for (const release of releases) release()
    }
  }

  /** Ends what it asks, as clocks may not stand still for a call that has ended. */
  end(): void {
    this.#hasEnded = true
    this.#end?.abort()
  }
}

/**
 * Asks a person about a call that is running, by an event `approval-request` of the call. Neither the tool's time nor the
 * run's passes meanwhile.
 *
 * The question is not stored: it ends with the call.
 * @param input what the person is asked, in place of the call's arguments
 * @param signal ends the question before the call ends
 * @returns `undefined` where no caller can decide: the run is not iterated, or ends with its approvals
 */
export async function askPerson(
  context: ToolContext,
  input: JSONValue,
  signal?: AbortSignal,
): Promise<Decision | undefined> {
  return RunningCall.ask(context, input, signal)
}
