import type { ModelFinishReason } from '@agentkit/core'
import { type ErrorContext, providerError } from '@agentkit/wire'
import type { StopDetails } from './types.ts'

/**
 * Why an answer ended, and what its reader should know of that.
 * @throws AgentKitError `context-overflow` when the window had no room for any answer
 */
export function toFinishReason(
  stopReason: string,
  details: StopDetails | undefined,
  hasAnswer: boolean,
  context: ErrorContext,
): { reason: ModelFinishReason; warning?: string } {
  switch (stopReason) {
    case 'max_tokens':
      return { reason: 'length' }
    case 'refusal':
      return { reason: 'content-filter', warning: refusalWarning(details) }
    case 'pause_turn':
      return { reason: 'stop', warning: 'The server paused in the middle of the answer: it is not whole.' }
    case 'model_context_window_exceeded': {
      if (hasAnswer) return { reason: 'length' }
      throw providerError({ code: stopReason, message: 'there was no room left for an answer.' }, context)
    }
    default:
      return { reason: 'stop' }
  }
}

/** The reason of a refusal is a warning, not a part of the answer. */
function refusalWarning({ category, explanation }: StopDetails = {}): string {
  return `The model refused to answer${category ? ` (${category})` : ''}. ${explanation ?? ''}`.trimEnd()
}
