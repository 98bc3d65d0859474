import type { Cost, JSONValue, RunFinishReason, Usage } from '@agentkit/core'
import type { CaseResult } from './eval-report.ts'

/** A result as it is stored, with the data for the sums and pages of the report. */
export type StoredResult = CaseResult & {
  /** The hash of everything that the result depends on. */
  key: string
  finishReason?: RunFinishReason
  usage: Usage
  cost?: Cost
  /** The usage of each scorer that is a model. */
  scoring?: { usage: Usage; cost?: Cost }[]
  durationMs: number
  tags?: string[]
}

/** A result with its conversation, and the conversations of a swarm's members, as one line of the file. */
export type ResultLine = StoredResult & { input: JSONValue; messages: JSONValue; members?: JSONValue }
