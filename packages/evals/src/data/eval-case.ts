import type { InputPart, Message } from '@agentkit/core'

/** One question to the agent, with the properties of a good answer. */
export type EvalCase = {
  /** The name of the case; its number, from 1 on, when absent. */
  id?: string
  input: string | InputPart[]
  /** The expectation with which scorers compare the run: a text, names of tools, any JSON. */
  expected?: unknown
  /** The conversation before the question. */
  history?: Message[]
  /** The user who asks, for tools, memory and files that depend on it; "default" when absent. */
  userId?: string
  tags?: string[]
}

/** A case that was checked. */
export type NamedCase = EvalCase & { id: string }
