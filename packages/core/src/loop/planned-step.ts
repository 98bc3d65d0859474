import type { AssistantMessage, JSONValue } from '../data/message.ts'
import { untilAborted } from '../util/abort.ts'
import { cloneJSON } from '../util/clone-json.ts'
import { emptyReply, type Reply } from './call-model.ts'
import type { Run } from './open-run.ts'
import { passPlanned } from './pass-reply.ts'

/** A call that a plan makes in the place of a model. */
export type PlannedCall = { name: string; input: JSONValue }

/**
 * What comes next: calls, all at once, or the answer, with its value where it is more than text; `undefined` where the
 * model is asked.
 */
export type Planned = { calls: readonly PlannedCall[] } | { answer: string; output?: unknown } | undefined

/** Says what comes next by what the run has come to so far, so that a run that has waited goes on in its place. */
export type Plan = (run: Run) => Planned | Promise<Planned>

/**
 * A step that no model is asked for, where the agent plans it: told and journaled like any other.
 * @param mayCall false: it has planned as many as it may, and the run ends where it plans more
 */
export async function plannedStep(run: Run, mayCall: boolean): Promise<Reply | 'too many' | undefined> {
  const { agent, scope, turn, progress, conversation } = run
  const planned = await untilAborted(scope.signal, Promise.resolve(agent.plan?.(run)))
  if (!planned) return undefined
  if ('calls' in planned && !mayCall) return 'too many'
  const reply = replyOf(planned)
  if ('answer' in planned) await passPlanned(run, reply, planned.output)
  progress.reply = reply
  if (reply.text !== '') await scope.emit({ type: 'text-delta', text: reply.text })
  for (const { callId, name, input } of reply.calls) {
    await scope.emit({ type: 'tool-call', callId, name, input: cloneJSON(input as JSONValue) })
  }
  if (reply.message.content.length > 0) {
    await untilAborted(scope.signal, turn.append([reply.message]))
    progress.messages.push(reply.message)
    conversation.add(reply.message)
  }
  return reply
}

function replyOf(planned: NonNullable<Planned>): Reply {
  const message: AssistantMessage = { v: 1, role: 'assistant', content: [] }
  const reply: Reply = { ...emptyReply(), message, heard: true, planned: true }
  if ('answer' in planned) {
    if (planned.answer !== '') message.content.push({ type: 'text', text: planned.answer })
    return { ...reply, text: planned.answer }
  }
  const calls = planned.calls.map(({ name, input }) => ({ callId: `call_${crypto.randomUUID()}`, name, input }))
  message.content.push(...calls.map((call) => ({ type: 'tool-call' as const, ...call })))
  return { ...reply, calls: calls.map((call) => ({ type: 'tool-call' as const, ...call })), reason: 'tool-calls' }
}
