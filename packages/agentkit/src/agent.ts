export { Agent, type AgentOptions } from './agents/agent.ts'
