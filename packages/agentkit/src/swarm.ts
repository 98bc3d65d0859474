export { Swarm, type SwarmOptions } from './agents/swarm.ts'
