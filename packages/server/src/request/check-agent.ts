import { AgentKitError, type Runnable } from '@agentkit/core'

/** @param usage how an agent is passed @throws AgentKitError `invalid-argument` for a value that is not an agent */
export function checkAgent(agent: Runnable, usage: string): void {
  // A workflow has runs too, but no sessions and models.
  const isWorkflow = agent !== null && typeof agent === 'object' && 'asAgent' in agent
  if (typeof agent?.stream === 'function' && !isWorkflow) return
  const fix = isWorkflow ? 'A workflow becomes an agent by `workflow.asAgent()`' : 'Pass an Agent or a Swarm'
  throw new AgentKitError('invalid-argument', `${fix}: ${usage}.`)
}
