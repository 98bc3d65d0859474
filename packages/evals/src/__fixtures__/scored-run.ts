import { type AgentEvent, type AgentEventBody, Agent, type Citation, type RunResult } from '@agentkit/core'
import { scriptedModel } from '@agentkit/testing'
import type { ScoredRun } from '../data/scorer.ts'

/** A run with this answer, as scorers get it. */
export function scoredRun(text: string, run: { expected?: unknown; result?: Partial<Extract<RunResult, { finishReason: 'stop' }>> } & Partial<Omit<ScoredRun, 'result'>> = {}): ScoredRun {
  const { expected, result, ...rest } = run
  return {
    case: { input: 'Question', ...(expected !== undefined && { expected }) },
    events: [],
    durationMs: 1_500,
    agent: new Agent({ name: 'Clerk', functions: [], model: scriptedModel([]) }),
    ...rest,
    result: {
      ...{ runId: 'run_1', text, output: undefined, approvals: [], messages: [], finishReason: 'stop' },
      ...{ usage: { inputTokens: 10, outputTokens: 5, totalTokens: 15 }, steps: 2, sources: [], warnings: [] },
      ...result,
    },
  }
}

/** Events of one agent. */
export function eventsOf(...bodies: readonly (AgentEventBody & { path?: string[] })[]): AgentEvent[] {
  return bodies.map((body, index) => ({ seq: index + 1, runId: 'run_1', path: ['clerk'], ...body }))
}

export function citationOf(quote: string, file = 'notes.md'): Citation {
  return { file, start: 0, end: quote.length, quote, chunkId: `${file}#1`, score: { fused: 1 } }
}
