import type { Tool } from '../contracts/tool.ts'
import type { AgentSpec } from '../loop/types.ts'
import type { MemberHistory } from './member-history.ts'

/** What a kind of collaboration adds to the agent that a swarm is. */
export type Collaborate = (members: readonly AgentSpec[], history: MemberHistory | undefined) => Collaborated

export type Collaborated = {
  /** The tools that call members. */
  tools: Tool[]
  spec: Partial<Pick<AgentSpec, 'plan' | 'drive' | 'maxSteps'>>
}
