import type { AssistantMessage, JSONValue } from '../data/message.ts'
import { emptyReply, type Reply } from '../runs/reply.ts'
import { untilAborted } from '../util/abort.ts'
import { cloneJSON } from '../util/clone-json.ts'
import { passPlanned } from './check-reply.ts'
import type { Planned, Run } from './types.ts'

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
