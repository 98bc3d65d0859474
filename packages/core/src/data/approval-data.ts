/** A tool call that somebody must allow before it runs. */
export type Approval = {
  approvalId: string
  callId: string
  name: string
  input: unknown
  /** Which member of a swarm asks: the ids below the outermost agent, from the outside in. */
  path?: string[]
}

/** What was decided of an approval. */
export type Decision = true | { deny: string }

/** By `approvalId`. */
export type Decisions = Readonly<Record<string, Decision>>
