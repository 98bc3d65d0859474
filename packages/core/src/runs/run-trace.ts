import { type Span, type SpanEnd, type SpanStart, type Tracer, tracer } from '../contracts/tracer.ts'

/** The span of a run or of a member that has the conversation: another one after each wait for approvals. */
export type RunTrace = {
  span(): Span
  /** The span of the outermost run, which a later segment is linked to. */
  rootId(): string
  end(end: SpanEnd): void
  /** Ends the spans while a person decides. `work` returns nothing where the run ends with its approvals. */
  whileWaiting<Value>(work: () => Promise<Value>): Promise<Value>
}

/**
 * Begins the span of a run.
 * @param outer of the run whose conversation the member has
 * @returns `undefined` where this process traces nothing
 */
export function startTrace(about: SpanStart, outer?: RunTrace): RunTrace | undefined {
  const current = tracer()
  return current && runTrace(current, about, outer)
}

function runTrace(current: Tracer, about: SpanStart, outer: RunTrace | undefined): RunTrace {
  let span = current.start(about, { parent: outer?.span() })
  return {
    span: () => span,
    rootId: () => outer?.rootId() ?? span.id,
    end(end) {
      span.end(end)
    },
    async whileWaiting(work) {
      span.end({ finishReason: 'approval' })
      let isSuspended = false
      try {
        const value = await (outer ? outer.whileWaiting(work) : work())
        isSuspended = value === undefined
        return value
      } finally {
        // Also for a run that fails while it waits: its error belongs to a span.
        if (!isSuspended) span = current.start(about, { parent: outer?.span(), after: span })
      }
    },
  }
}
