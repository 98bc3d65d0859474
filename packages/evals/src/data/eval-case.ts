import type { InputPart, Message } from '@agentkit/core'

/** One question to the agent, with what a good answer has. */
export type EvalCase = {
  /** Its number, from 1 on, when absent. */
  id?: string
  input: string | InputPart[]
  /** What scorers compare the run with: a text, names of tools, any JSON. */
  expected?: unknown
  /** The conversation before the question. */
  history?: Message[]
  /** The user who asks, for tools, memory and files that depend on it; "default" when absent. */
  userId?: string
  tags?: string[]
}

/** A case that was checked. */
export type NamedCase = EvalCase & { id: string }
