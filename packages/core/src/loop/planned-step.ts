import type { AssistantMessage } from '../data/message.ts'
import { emptyReply, type Reply } from '../runs/reply.ts'
import { untilAborted } from '../util/async/abort.ts'
import { checkPlanned } from './model/check-reply.ts'
import { eventsOf } from './model/event-gate.ts'
import { storeReply } from './model-step.ts'
import type { AgentSpec, Planned, Run, StepOutcome } from './run/types.ts'

/** A step that the agent's plan makes without a model. @returns `undefined` where the model decides */
export async function plannedStep(run: Run): Promise<StepOutcome | undefined> {
  const { agent, scope, state } = run
  const planned = await untilAborted(scope.signal, Promise.resolve(agent.plan?.(run)))
  if (!planned) return undefined
  if ('calls' in planned && run.plannedSteps >= agent.maxSteps) return maxStepsReached(agent)
  run.plannedSteps++
  const reply = replyOf(planned)
  if ('answer' in planned) await checkPlanned(run, reply, planned.output)
  state.reply = reply
  for (const event of eventsOf(reply)) await scope.emit(event)
  await storeReply(run, reply)
  return { type: reply.calls.length > 0 ? 'tool-calls' : 'answer', reply }
}

export function maxStepsReached({ maxSteps }: AgentSpec): StepOutcome {
  const why = `The run took its ${maxSteps === 1 ? 'only step' : `${maxSteps} steps`}. Raise \`maxSteps\` if it needs more.`
  return { type: 'stopped', reason: 'max-steps', why }
}

function replyOf(planned: NonNullable<Planned>): Reply {
  const message: AssistantMessage = { v: 1, role: 'assistant', content: [] }
  const reply: Reply = { ...emptyReply(), message, hasBegun: true, planned: true }
  if ('answer' in planned) {
    if (planned.answer !== '') message.content.push({ type: 'text', text: planned.answer })
    return { ...reply, text: planned.answer }
  }
  const calls = planned.calls.map(({ name, input }) => {
    return { type: 'tool-call' as const, callId: `call_${crypto.randomUUID()}`, name, input }
  })
  message.content.push(...calls)
  return { ...reply, calls, reason: 'tool-calls' }
}
