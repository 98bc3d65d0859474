/** What `agentkit init` writes as agent: one with a function, a team of two, or one that answers from files. */
export const templates = ['agent', 'swarm', 'files'] as const
export type Template = (typeof templates)[number]
