import type { Approval, Decisions } from '../../data/approval-data.ts'
import { invalidArgument } from '../../data/errors.ts'
import type { JSONValue } from '../../data/message.ts'

/** An agent that knows the results that its tools of the client may have. */
export type ResultOwner = {
  readonly id: string
  /** Why a result does not fit the tool's `output`; `undefined` for one that fits, and for other tools. */
  resultProblems(toolName: string, result: JSONValue): Promise<string[] | undefined>
  readonly members?: readonly ResultOwner[]
}

/**
 * Checks the results of client tools by the schemas of their `output`, before they are stored.
 * @param approvals whose paths begin below the agent
 * @returns the decisions
 * @throws AgentKitError `invalid-argument`, with what does not fit first; its cause has the ids of all that do not fit
 */
export async function checkResults(
  agent: ResultOwner,
  approvals: readonly Approval[],
  decisions: Decisions,
): Promise<Decisions> {
  const invalidResults: { approvalId: string; message: string }[] = []
  for (const { approvalId, name, kind, path = [] } of approvals) {
    const decision = decisions[approvalId]
    if (kind !== 'client-tool' || typeof decision !== 'object' || !('result' in decision)) continue
    const problems = await memberAt(agent, path)?.resultProblems(name, decision.result)
    if (!problems) continue
    const what = problems.map((problem) => problem.replace(/\.$/, '')).join('; ')
    const message = `The result for "${approvalId}" does not fit the \`output\` of ${name}. ${what}. Send another.`
    invalidResults.push({ approvalId, message })
  }
  const [first] = invalidResults
  if (first)
    throw invalidArgument(first.message, {
      cause: { invalidResults: invalidResults.map(({ approvalId }) => approvalId) },
    })
  return decisions
}

function memberAt(agent: ResultOwner, [id, ...rest]: readonly string[]): ResultOwner | undefined {
  if (id === undefined) return agent
  const member = agent.members?.find((each) => each.id === id)
  return member && memberAt(member, rest)
}
