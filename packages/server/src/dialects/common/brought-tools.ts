import { isAgentKitError, type Runnable, type ToolSpec } from '@agentkit/core'
import { checkClientTools } from '@agentkit/core/internal'
import { invalid } from '../../answer/field-problems.ts'

/**
 * The tools that a client brings, for an agent that takes some.
 * @throws ProblemError for tools that cannot be used, and for names that tools of the agent have
 */
export function broughtTools(
  { clientTools, tools = [] }: Pick<Runnable, 'clientTools' | 'tools'>,
  sent: readonly ToolSpec[],
): { clientTools?: readonly ToolSpec[] } {
  if (!clientTools || sent.length === 0) return {}
  try {
    checkClientTools(sent, { max: clientTools.max, tools })
  } catch (error) {
    if (!isAgentKitError(error)) throw error
    throw invalid(['tools'], `cannot be used. ${error.message.replace(/\.$/, '')}`)
  }
  return { clientTools: sent }
}
