import { currentRun } from '../runs/current-run.ts'
import { runMember } from '../swarm/run-member.ts'
import { failureOf } from './failure.ts'
import { textOf } from './message-for.ts'
import { beginStep, type Step } from './step.ts'
import type { WorkflowAgent } from './workflow-agent.ts'

/** A step that is a workflow: with its own budget and deadline, and its id in the path. */
export function workflowStep(agent: WorkflowAgent<unknown>, label: string): Step {
  return {
    agents: [agent],
    async run(value, flow) {
      await beginStep(flow)
      const { signal } = flow
      const member = agent.specFor(value)
      const input = { v: 1, role: 'user', content: textOf(value) } as const
      const call = { member, callId: 'step', signal, history: [], input }
      const outcome = await notDeeper(() => runMember(flow.run.inside, call))
      if (outcome.finishReason !== 'stop') throw failureOf(label, agent.name, outcome)
      return outcome.output
    },
  }
}

/** Workflows that are written down within each other end by themselves: only runs that ask each other may not. */
function notDeeper<Value>(work: () => Value): Value {
  const current = currentRun.getStore()
  return current ? currentRun.run({ ...current, depth: current.depth - 1 }, work) : work()
}
