export type { SwarmOptions } from './agents/options.ts'
export { Swarm } from './agents/swarm.ts'
