/** A tool call that needs approval before it runs. */
export type Approval = {
  approvalId: string
  callId: string
  name: string
  input: unknown
  /** The member of a swarm that makes the call: the ids below the outermost agent, from the outside in. */
  path?: string[]
}

/** The decision on an approval. */
export type Decision = true | { deny: string }

/** By `approvalId`. */
export type Decisions = Readonly<Record<string, Decision>>
