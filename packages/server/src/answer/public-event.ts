import type { AgentEvent, ErrorInfo } from '@agentkit/core'
import { problemTable } from './problem-table.ts'

/** An event as clients may see it: our own sentences replace error texts of tools, SDKs and models. */
export function publicEvent(event: AgentEvent): AgentEvent {
  switch (event.type) {
    case 'tool-result':
      return event.isError ? { ...event, output: problemTable['tool-error'].detail } : event
    case 'step-restart':
    case 'model-fallback':
      return { ...event, error: publicError(event.error) }
    case 'run-end':
      return event.error ? { ...event, error: publicError(event.error) } : event
    default:
      return event
  }
}

function publicError(error: ErrorInfo): ErrorInfo {
  const kind = problemTable[error.code] ?? problemTable['internal-error']
  return { ...error, message: kind.detail }
}
