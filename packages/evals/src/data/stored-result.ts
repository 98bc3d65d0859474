import type { Cost, JSONValue, RunFinishReason, Usage } from '@agentkit/core'
import type { CaseResult } from './eval-report.ts'

/** A result as it is stored, with what the report sums up and its pages show. */
export type StoredResult = CaseResult & {
  /** Of everything that the result depends on. */
  key: string
  finishReason?: RunFinishReason
  usage: Usage
  cost?: Cost
  /** What each scorer that is a model has used. */
  scoring?: { usage: Usage; cost?: Cost }[]
  durationMs: number
  tags?: string[]
}

/** A result with its conversation, and those of the members of a swarm, as one line of the file. */
export type ResultLine = StoredResult & { input: JSONValue; messages: JSONValue; members?: JSONValue }
