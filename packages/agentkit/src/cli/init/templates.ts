/** The templates of `agentkit init`: an agent with a function, a team of two, or an agent that answers from files. */
export const templates = ['agent', 'swarm', 'files'] as const
export type Template = (typeof templates)[number]
