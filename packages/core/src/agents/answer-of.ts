import { AgentKitError } from '../data/errors.ts'
import type { RunResult } from '../runs/driver/run.ts'

/**
 * The text that a run answers with: one that ended early still has an answer if it has any text.
 * @throws AgentKitError when it has none
 */
export function answerOf<Output>({ text, finishReason, runId, usage, warnings, approvals }: RunResult<Output>): string {
  switch (finishReason) {
    case 'stop':
    case 'length':
    case 'content-filter':
      return text
    case 'max-steps':
    case 'budget':
    case 'no-progress':
      if (text !== '') return text
      // The last warning says why it ended.
      throw new AgentKitError(finishReason, `The run ended without an answer. ${warnings.at(-1)}`, { runId, usage })
    case 'approval': {
      const what = approvals.map(({ approvalId, name }) => `"${approvalId}" (${name})`).join(', ')
      const message = `The run ${runId} waits for approval of ${what}. Decide by agent.resume(runId, decisions).`
      throw new AgentKitError(finishReason, message, { runId, usage })
    }
    case 'aborted':
    case 'error':
      throw new AgentKitError('aborted', 'The run ended without an answer.', { runId, usage })
  }
}
