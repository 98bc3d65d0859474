import type { JSONValue, Message } from '../data/message.ts'
import type { Usage } from '../data/usage.ts'
import type { ModelRequest } from './model.ts'

/** What a span is about, as it begins. */
export type SpanStart =
  | {
      type: 'run'
      agentId: string
      name: string
      description?: string | undefined
      /** A swarm or a workflow: others do its work. */
      isWorkflow: boolean
      runId: string
      sessionId?: string | undefined
      input?: Message | undefined
    }
  /** One attempt of one model. */
  | { type: 'model'; model: string; request?: ModelRequest; step?: number | undefined; sessionId?: string | undefined }
  | { type: 'tool'; name: string; callId: string; description?: string | undefined; input: unknown }
  /** The request of a tool call to its MCP server. `server` is absent where it is a process on this machine. */
  | { type: 'mcp'; method: 'tools/call'; tool: string; protocol?: string | undefined; server?: URL | undefined }
  | { type: 'retrieval'; source: string; query: string; limit?: number | undefined }

/** What a span resulted in. */
export type SpanEnd = {
  error?: unknown
  /** Of a call whose failure the model receives. */
  isError?: boolean
  usage?: Usage
  /** The model that has answered. */
  model?: string | undefined
  finishReason?: string
  /** An answer, a result, or the passages that were found. */
  output?: JSONValue | Message | undefined
  /** Of a run, where it is known late. */
  sessionId?: string | undefined
}

/** One span of a trace. None of its methods throws. */
export interface Span {
  /** The span as a W3C `traceparent`. */
  readonly id: string
  /** What `work` starts belongs to the span. */
  within<Value>(work: () => Value): Value
  /** Links the span to an earlier one, by its `id`. */
  link(id: string): void
  /** Ends the span; later calls change nothing. */
  end(end?: SpanEnd): void
}

/**
 * Traces the runs of this process. Core depends on no library for traces: `@agentkit/telemetry` implements this contract.
 * None of its methods throws.
 */
export interface Tracer {
  /**
   * @param place `parent`: the span around it; the current one when absent. `after`: the span that it continues, in the
   * same trace and with a link to it.
   */
  start(span: SpanStart, place?: { parent?: Span | undefined; after?: Span | undefined }): Span
  /**
   * What `work` starts belongs to the trace that the headers of a request name, if they do.
   * @param how `overrides`: also where a span is active, which is the connection's and not the caller's. Otherwise that
   * span was made of the headers.
   */
  continueTrace<Value>(
    header: (name: string) => string | undefined,
    work: () => Value,
    how?: { overrides?: boolean },
  ): Value
  /** The headers by which another process continues the current trace; none without one. */
  headers(): Readonly<Record<string, string>>
  /** Exports what is left. */
  flush?(): Promise<void>
  /** Exports what is left and removes it, before the process exits. */
  close?(): Promise<void>
}

const key = Symbol.for('@agentkit/core/tracer')
/** Of the process, whichever copy of this package a program has loaded. */
const holder = globalThis as { [key]?: Tracer | undefined } // only this file has the key

const traced = new WeakMap<object, string>()

/** Notes which trace a result or an error belongs to. @param id of a span of the trace */
export function noteTrace(of: object, id: string): void {
  const traceId = id.split('-')[1] ?? id
  // Zeros are no id: OpenTelemetry gives them where it is disabled.
  if (!/^0+$/.test(traceId)) traced.set(of, traceId)
}

/** The id of the trace that a run's result, or the error of a run, belongs to; `undefined` where it was not traced. */
export function traceIdOf(of: unknown): string | undefined {
  return typeof of === 'object' && of !== null ? traced.get(of) : undefined
}

/** The tracer of this process; mostly none, which costs one comparison per call. */
export function tracer(): Tracer | undefined {
  return holder[key]
}

/** Sets the tracer of this process. @returns removes it again */
export function setTracer(given: Tracer): () => void {
  holder[key] = given
  return () => {
    if (holder[key] === given) delete holder[key]
  }
}
