import type { Citation } from '../data/citation.ts'
import type { JSONSchema } from '../data/message.ts'
import type { StandardSchema } from './standard-schema.ts'

/** What a tool is told of the run that calls it. */
export type ToolContext = {
  /** Aborts when the run ends early or the tool's time is up. */
  readonly signal: AbortSignal
  readonly userId: string
  readonly sessionId?: string
  readonly runId: string
  readonly callId: string
  /** Names what the result stands on: each becomes a `source` event and part of `result.sources`. */
  cite(sources: Citation[]): void
}

/**
 * Something a model may call. `execute` gets validated input; it may return anything: a value is shown as JSON,
 * a list of text and image parts as it is, `null` tells the model "no result", `undefined` "done".
 * Throwing is an error result to the model, never a crashed run.
 */
export interface Tool {
  readonly name: string
  readonly description: string
  /** JSON Schema of the input, or the Standard Schema that becomes one at the first run. */
  readonly inputSchema: JSONSchema | StandardSchema
  /** How long one call may take, in milliseconds; the agent's `toolTimeoutMs` when absent. */
  readonly timeoutMs?: number
  /** Whether somebody must allow a call before it runs: always, or where this says so of the validated input. */
  readonly needsApproval?: boolean | ((input: unknown) => boolean | Promise<boolean>)
  execute(input: unknown, context: ToolContext): unknown
}
