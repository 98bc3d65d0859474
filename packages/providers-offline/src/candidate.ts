import type { JSONValue } from '@agentkit/core'
import type { SpanKind } from './find-spans.ts'
import type { Parameter } from './parameters.ts'

/** A value that a message may give to a parameter, and where it stands. */
export type Candidate = {
  parameter: Parameter
  start: number
  end: number
  value: JSONValue
  /** From 0: how sure it is. Below `leastScore` it is a guess. */
  score: number
  /** More than a value of a fitting kind: words or shape say what it is for. */
  isSpecific: boolean
  kind: SpanKind | 'list' | 'rest'
}

export const leastScore = 0.4
