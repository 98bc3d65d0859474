import type { Runnable } from '@agentkit/core'
import { type Tracer, tracer } from '@agentkit/core/internal'

/**
 * The tracer of the process, which the configuration of an agent may have to start: otherwise the trace of the first
 * request would not be continued.
 */
export function tracerOf(agent: Runnable & { prepare?(): void }): Tracer | undefined {
  const running = tracer()
  if (running) return running
  try {
    agent.prepare?.()
  } catch {
    // Its run fails for the same reason; /health does not.
  }
  return tracer()
}
