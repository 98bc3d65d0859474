import type { AgentEvent, StoredRun } from '@agentkit/core'
import { Speakers } from '@agentkit/core/internal'
import { runProblem } from '../../answer/problem.ts'
import { publicEvent } from '../../answer/public-event.ts'
import { AnswerReader } from '../common/answer-reader.ts'
import { isSpeaker } from '../common/is-speaker.ts'
import { approvalRef } from '../common/run-approvals.ts'
import { ResponseBlocks } from './response-blocks.ts'
import { callBegin, type Frame, type Item, jsonOf, parsed } from './response-items.ts'
import { ResponseOutput } from './response-output.ts'

type Call = { item: Item; index: number }
/**
 * The events that are read of the member whose words are the answer. Its calls are left out, because they are not the
 * agent's.
 */
const wordTypes: ReadonlySet<AgentEvent['type']> = new Set(['step-start', 'step-end', 'step-restart', 'text-delta'])
type Of<Type extends AgentEvent['type']> = Extract<AgentEvent, { type: Type }>

/**
 * Reads the events of one run as items of a response: a message for the text of each step, an `mcp_call` for each call of
 * the agent that speaks, summaries for its reasoning, and an `mcp_approval_request` for each approval.
 *
 * Source: https://platform.openai.com/docs/api-reference/responses-streaming
 */
export class ResponseReader {
  readonly facts: AnswerReader
  /** A run without one was blocked before it was stored, unless it was enqueued. */
  hasSteps = false
  readonly #label: string
  readonly #member: string | undefined
  #hasMemberText = false
  #speakers: Speakers
  readonly #output = new ResponseOutput()
  readonly #blocks = new ResponseBlocks(this.#output)
  #calls = new Map<string, Call>()
  /** Calls of earlier responses of the run; absent in the first response. */
  #earlierCalls: Map<string, Call> | undefined
  /** Approvals that were requested, by their call. */
  readonly #requested = new Map<string, string>()
  /** By the id of a call the approval that was decided in an earlier response, or before this one is read. */
  readonly #decided = new Map<string, { approvalId: string; name: string }>()

  /**
   * @param label names the agent, as the server of its tools
   * @param speaker the member whose words are the answer, of `Runnable.speaker`
   * @param approvals of the run, where it is read from what is stored
   */
  constructor(label: string, speaker?: string, approvals: StoredRun['approvals'] = []) {
    for (const { callId, approvalId, name, decision } of approvals) {
      if (decision !== undefined) this.#decided.set(callId, { approvalId, name })
    }
    this.#label = label
    this.#member = speaker
    this.#speakers = new Speakers({ speaker })
    this.facts = new AnswerReader({ canDrop: true })
  }

  get output(): readonly Item[] {
    return this.#output.items
  }

  /** From now on, the items belong to the next response of the run. @param speakers of the run as it continues */
  beginNext(speakers: Speakers): void {
    this.#speakers = speakers
    this.#earlierCalls = new Map([...(this.#earlierCalls ?? []), ...this.#calls])
    this.#calls = new Map()
    this.#output.beginNext()
    this.facts.end = undefined
    this.facts.approvals.length = 0
  }

  read(sent: AgentEvent): Frame[] {
    const event = publicEvent(sent)
    this.facts.read(event)
    const isShown = this.#speakers.isShown(event)
    if (event.type === 'step-start') this.hasSteps = true
    switch (event.type) {
      case 'source':
        this.#blocks.sources.push(event.source)
        return []
      case 'approval-request':
        return this.#requestApproval(event)
      case 'run-end':
        return this.#finish(event)
    }
    const isMember = isSpeaker(event, this.#member)
    if (!isShown && !(isMember && wordTypes.has(event.type))) return []
    switch (event.type) {
      case 'step-start':
      case 'step-end': {
        const frames = this.#blocks.close()
        this.#output.beginStep()
        return frames
      }
      case 'step-restart':
        return this.#dropStep()
      case 'text-delta':
        // The answer of a sequence is what its last member has said.
        if (this.#hasMemberText && event.path.length === 1) return []
        this.#hasMemberText ||= isMember
        return this.#blocks.add('message', event.text, event.runId)
      case 'reasoning-delta':
        return this.#blocks.add('reasoning', event.text, event.runId)
      case 'tool-call':
        return this.#call(event)
      case 'tool-result':
        return this.#result(event)
      default:
        return []
    }
  }

  #call({ callId, name, input, runId }: Of<'tool-call'>): Frame[] {
    const frames = this.#blocks.close()
    const decided = this.#decided.get(callId)
    // Another call of the same id is that of a member.
    const isDecided = decided?.name === name && this.#decided.delete(callId)
    if (isDecided) this.#requested.set(callId, decided.approvalId)
    const approvalId = isDecided ? this.#approvalOf(callId, runId) : null
    const { frames: begun } = this.#beginCall(callId, { name, input, runId, approvalId })
    return [...frames, ...begun]
  }

  #beginCall(
    callId: string,
    {
      name,
      input,
      runId,
      id,
      approvalId = null,
    }: { name: string; input: unknown; runId: string; id?: string | undefined; approvalId?: string | null },
  ): { call: Call; frames: Frame[] } {
    const item: Item = {
      ...{ id: id ?? this.#output.newId('mcp', runId), type: 'mcp_call', status: 'in_progress' },
      ...{ server_label: this.#label, name, arguments: '', output: null, error: null, approval_request_id: approvalId },
    }
    const earlier = this.#suspend(this.#calls.get(callId))
    const { frame, index } = this.#output.begin(item)
    const text = jsonOf(input ?? {})
    item.arguments = text
    const call = { item, index }
    this.#calls.set(callId, call)
    return {
      call,
      frames: [...earlier, frame, ...callBegin({ item_id: item.id, output_index: index }, text)],
    }
  }

  #isOpen({ item }: Call): boolean {
    return item.status === 'in_progress' && this.output.includes(item)
  }

  /** Ends the item of a call that has no result. */
  #suspend(call: Call | undefined): Frame[] {
    if (!call || !this.#isOpen(call)) return []
    call.item.status = 'incomplete'
    return [this.#output.end(call.item, call.index)]
  }

  #result({ callId, name, output, isError, runId }: Of<'tool-result'>): Frame[] {
    const frames = this.#blocks.close()
    const current = this.#calls.get(callId)
    const { item: known } = current ?? this.#earlierCalls?.get(callId) ?? {}
    const { call, frames: begun } =
      current && this.#isOpen(current)
        ? { call: current, frames: [] }
        : // An earlier response has shown the call, and ended before the call had a result.
          this.#beginCall(callId, {
            ...{ name, runId, input: known ? parsed(known.arguments) : {}, id: current ? undefined : known?.id },
            approvalId: this.#approvalOf(callId, runId),
          })
    const { item, index } = call
    const text = typeof output === 'string' ? output : (nothing(output) ?? jsonOf(output))
    item.status = isError ? 'failed' : 'completed'
    if (isError) item.error = text
    else item.output = text
    this.#calls.delete(callId)
    this.#earlierCalls?.delete(callId)
    const place = { item_id: item.id, output_index: index }
    const type = isError ? 'response.mcp_call.failed' : 'response.mcp_call.completed'
    return [...frames, ...begun, { type, ...place }, this.#output.end(item, index)]
  }

  #approvalOf(callId: string, runId: string): string | null {
    const approvalId = this.#requested.get(callId)
    return approvalId === undefined ? null : approvalRef(runId, approvalId)
  }

  #requestApproval({ approvalId, callId, name, input, runId }: Of<'approval-request'>): Frame[] {
    const frames = this.#blocks.close()
    // Another call with the same id may be a member's, because each member has a model of its own.
    const [call] = [this.#calls, this.#earlierCalls]
      .flatMap((calls) => calls?.get(callId) ?? [])
      .filter(({ item }) => item.name === name)
    if (call) this.#requested.set(callId, approvalId)
    const id = approvalRef(runId, approvalId)
    // Clients reject an item that they have.
    if (this.output.some((item) => item.id === id)) return frames
    const item: Item = {
      ...{ id, type: 'mcp_approval_request', server_label: this.#label },
      ...{ name, arguments: jsonOf(input ?? {}) },
    }
    // A call is one item of the response: here its request. Clients reject an item that becomes one of another type.
    frames.push(...this.#suspend(call))
    this.#output.remove(call?.item)
    const { frame, index } = this.#output.begin(item)
    return [...frames, frame, this.#output.end(item, index)]
  }

  /** The attempt has failed: its items are not part of the response. */
  #dropStep(): Frame[] {
    const frames = this.#blocks.close('incomplete')
    for (const call of this.#calls.values()) {
      if (this.#output.isOfStep(call.item)) frames.push(...this.#suspend(call))
    }
    this.#output.removeStep()
    return frames
  }

  #finish(event: Of<'run-end'>): Frame[] {
    const isFailed = runProblem(event) !== undefined
    const hasText = this.output.some(({ type }) => type === 'message')
    // An answer that no step has said.
    const whole = hasText || isFailed || this.#earlierCalls ? [] : this.#blocks.add('message', event.text, event.runId)
    const frames = [...whole, ...this.#blocks.close(isFailed ? 'incomplete' : 'completed')]
    for (const call of this.#calls.values()) frames.push(...this.#suspend(call))
    return frames
  }
}

/**
 * The text that the model has read in place of a result without a value; a response that is read later has the same
 * text.
 */
function nothing(output: unknown): string | undefined {
  if (output === undefined) return 'done'
  return output === null ? 'no result' : undefined
}
