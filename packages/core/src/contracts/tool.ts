import type { Citation } from '../data/citation.ts'
import type { JSONSchema } from '../data/message.ts'
import type { StandardSchema } from './standard-schema.ts'

/** The run that a tool belongs to. */
export type ToolRun = Pick<ToolContext, 'signal' | 'userId' | 'sessionId' | 'runId'>

/** What a tool receives beside its input: the run that calls it. */
export type ToolContext = {
  /** Aborts when the run ends early or the tool times out. */
  readonly signal: AbortSignal
  /** The user of the run. */
  readonly userId: string
  /** The session of the run; absent for a run without one. */
  readonly sessionId?: string
  /** The id of the run. */
  readonly runId: string
  /** The id of this call. */
  readonly callId: string
  /** Unique over all runs, at most 64 ASCII characters; the same when this call is made again after a crash. */
  readonly idempotencyKey: string
  /** Cites the sources of the result: each becomes a `source` event and part of `result.sources`. */
  cite(sources: Citation[]): void
}

/**
 * A function that a model can call. `execute` receives validated input. The model receives what it returns: text and a
 * list of text and image parts unchanged, any other value as JSON, `null` as "no result", `undefined` as "done".
 * An error that it throws becomes the result of the call, and never ends the run.
 */
export interface Tool {
  /** The name that the model calls: letters, digits, `_` and `-`, at most 64. */
  readonly name: string
  /** What the tool does and when to use it, for the model. */
  readonly description: string
  /** JSON Schema of the input, or a Standard Schema, which is converted at the first run. */
  readonly inputSchema: JSONSchema | StandardSchema
  /** How long one call may take, in milliseconds; the agent's `toolTimeoutMs` when absent. */
  readonly timeoutMs?: number
  /** Whether a call needs approval before it runs: always, or when the function returns true for the validated input. */
  readonly needsApproval?: boolean | ((input: unknown, call: { readonly callId: string }) => boolean | Promise<boolean>)
  /** Whether a call may safely run twice. If its process dies, such a call runs again; any other waits for a person. */
  readonly idempotent?: boolean
  /** The caller of the run executes the call. The call waits for its result, as an approval of kind `client-tool`. */
  readonly client?: true
  /** The schema of the result that the caller gives. */
  readonly output?: JSONSchema | StandardSchema
  /**
   * Whether a conversation that is too long keeps the results as they are, for as long as there is room: they are
   * neither removed nor summarized, the newest first.
   */
  readonly keepResult?: boolean
  /** Added to the instruction of the runs whose model is offered the tool. */
  readonly instruction?: string
  /**
   * Whether the model of a run is offered the tool; evaluated once when the run begins or is resumed.
   * @param run `warn` adds a sentence to the warnings of the run
   */
  isEnabled?(
    // `ToolRun` in words that the declarations of other packages can repeat, of a tool that they spread for example.
    run: Pick<ToolContext, 'signal' | 'userId' | 'sessionId' | 'runId'> & { warn(warning: string): void },
  ): boolean | Promise<boolean>
  /** Executes one call with validated input. */
  execute(input: unknown, context: ToolContext): unknown
}
