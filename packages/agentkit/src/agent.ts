export { Agent } from './agents/agent.ts'
export type { AgentOptions } from './agents/options.ts'
