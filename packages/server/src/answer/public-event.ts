import type { AgentEvent, ErrorInfo } from '@agentkit/core'
import { problemTable, sentenceOf } from './problem-table.ts'

/** An event as clients may see it: our own sentences replace error texts of tools, SDKs and models. */
export function publicEvent(event: AgentEvent): AgentEvent {
  switch (event.type) {
    case 'tool-result':
      return event.isError ? { ...event, output: publicFailure(event.output) } : event
    case 'agent-end':
      // The reason of a failed member is a text of its model or its tool.
      return event.reason === undefined ? event : { ...event, reason: endings[event.status] ?? endings.failed }
    case 'step-restart':
    case 'model-fallback':
      return { ...event, error: publicError(event.error) }
    case 'run-end':
      return publicEnd(event)
    default:
      return event
  }
}

/** Leaves out the reason of a denial, because the error of a tool may begin with the same words. */
function publicFailure(output: unknown): string {
  const isDenied = typeof output === 'string' && output.startsWith('The call was denied: ')
  return isDenied ? 'The call was denied.' : problemTable['tool-error'].detail
}

const endings: Readonly<Record<string, string>> & { failed: string } = {
  failed: 'The member failed.',
  budget: problemTable.budget.detail,
  aborted: problemTable.aborted.detail,
  waiting: problemTable.approval.detail,
}

function publicEnd({ warnings, error, ...event }: Extract<AgentEvent, { type: 'run-end' }>): AgentEvent {
  return {
    ...event,
    ...(warnings && { warnings: publicWarnings(event.finishReason, warnings) }),
    ...(error && { error: publicError(error) }),
  }
}

/** What ours say of a budget; a hook or a tool may throw an error of this code with a text of its own. */
const ofBudget = /The run's budget is used up: |The budget is used up\.|The budget left no room /

/** The last warning of a run that a budget has ended is the text of the error that ended it. */
function publicWarnings(finishReason: string, warnings: readonly string[]): string[] {
  const shown = warnings.map(publicWarning)
  const last = shown.at(-1)
  if (finishReason !== 'budget' || last === undefined || ofBudget.test(last)) return shown
  return [...shown.slice(0, -1), problemTable.budget.detail]
}

/** A warning of a failure ends with the error text, after a colon. */
const failure = /( failed| could not be stored| could be made| indexed before| MCP server "[^"]*"): .*$/s

function publicWarning(warning: string): string {
  return warning.replace(failure, '$1.')
}

function publicError(error: ErrorInfo): ErrorInfo {
  return { ...error, message: sentenceOf(error) }
}
