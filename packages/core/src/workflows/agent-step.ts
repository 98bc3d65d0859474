import type { AgentBase } from '../agents/agent-base.ts'
import { AgentKitError } from '../data/errors.ts'
import { runMember } from '../swarm/run-member.ts'
import { failureOf } from './failure.ts'
import { callUsers } from './function-step.ts'
import { messageFor } from './message-for.ts'
import { beginStep, contextOf, type Step } from './step.ts'
import type { AskOptions } from './work.ts'

/** A step that asks an agent or a swarm, and makes its answer: its `output` where it has one. */
export function agentStep(agent: AgentBase<unknown>, label: string, ask?: AskOptions<unknown>['ask']): Step {
  return {
    agents: [agent],
    async run(value, flow) {
      await beginStep(flow)
      const member = agent.toSpec()
      const asked = ask ? await callUsers(label, flow, () => ask(value, contextOf(flow))) : value
      const input = messageFor(asked, label)
      const { signal } = flow
      const outcome = await runMember(flow.run.inside, { member, callId: 'step', signal, history: [], input })
      if (outcome.status !== 'done') throw failureOf(label, agent.name, outcome)
      if (!member.outputFormat) return outcome.text
      if (outcome.finishReason === 'stop') return outcome.output
      // A hook has blocked it, or it was cut: its words are not what the next step takes.
      const code = outcome.finishReason === 'content-filter' ? 'content-filter' : 'incomplete-stream'
      throw new AgentKitError(code, `The step "${label}" failed. "${agent.name}" gave no output. ${outcome.text}`)
    },
  }
}
