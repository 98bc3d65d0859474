import type { Tool, ToolContext } from '../contracts/tool.ts'
import { isAgentKitError } from '../data/errors.ts'
import { firstChars } from '../data/first-chars.ts'
import type { Message, UserPart } from '../data/message.ts'
import { limits } from '../limits.ts'
import { MemberSuspended } from '../loop/run/parent-run.ts'
import type { AgentSpec, Run } from '../loop/run/types.ts'
import { RunningCall } from '../loop/tools/running-call.ts'
import { memberToolName } from '../runs/driver/member-run.ts'
import type { MemberOutcome } from '../runs/member-outcome.ts'
import { cutText } from '../util/text/cut-text.ts'
import { askElsewhere } from './ask-elsewhere.ts'
import { type MemberHistory, type Shown, showMember } from './member-history.ts'
import { runMember } from './run-member.ts'

/**
 * The tool that gives a member a task and returns its answer. A member that fails is an error result of
 * `{ status, reason, output }`, never an empty answer.
 *
 * @param options.withParts whether the user's images and files go with the task
 */
export function memberTool(
  member: AgentSpec,
  history: MemberHistory,
  { withParts = false }: { withParts?: boolean } = {},
): Tool {
  return {
    name: memberToolName(member.id),
    description: `Asks ${member.name}. ${member.description ?? firstSentence(member.instruction)}`.trim(),
    inputSchema: {
      type: 'object',
      properties: { task: { type: 'string', description: describeTask(history) } },
      required: ['task'],
      additionalProperties: false,
    },
    // Bounded by the run's deadline and the member's own.
    timeoutMs: limits.longestTimerMs,
    async execute(input, context) {
      const run = RunningCall.runOf(context)
      const { members, state } = run
      const { signal, callId } = context
      const { task } = input as { task: string } // validated by the schema above
      const suspended = members.suspended.get(callId)
      const decisions = members.decided.get(callId)
      const resumed = suspended && 'waiting' in suspended && decisions ? { suspended, decisions } : undefined
      if (task.trim() === '') throw new Error('Say in `task` what to do: it is empty.')
      const memberPath = `${members.memberPath}/${member.id}`
      const show = (): Promise<Shown> => {
        const parts = withParts ? partsOf(state.messages[0]) : []
        return showMember(history, run, task, memberPath, parts).catch((error) => {
          throw historyError(error, context, run)
        })
      }
      const askHere = async (): Promise<MemberOutcome> => {
        const shown = resumed ? { history: [], input: { v: 1, role: 'user', content: task } as const } : await show()
        return runMember(run, { member, callId, signal, ...shown, ...(resumed ? { resumed } : {}) })
      }
      const { delegates } = run
      // A member that waits within the run continues there: the run may have become a background run since, by a retry.
      const outcome =
        delegates && !member.cannotContinue && !resumed
          ? await askElsewhere(run, delegates, { member, callId, show })
          : await askHere()
      if (outcome.suspended) throw new MemberSuspended(callId, { suspended: outcome.suspended })
      if (outcome.status === 'done') return outcome.text
      if (outcome.error) members.failures.set(callId, outcome.error)
      throw new Error(failureText(outcome))
    },
  }
}

/** The error when a member's history cannot be read or summarized. */
function historyError(error: unknown, { signal, callId }: ToolContext, { members }: Run): unknown {
  if (signal.aborted || !isAgentKitError(error)) return error
  members.failures.set(callId, error)
  const status = error.code === 'budget' ? 'budget' : 'failed'
  return new Error(JSON.stringify({ status, reason: error.message }))
}

/** Bytes of a failed member's partial answer in the error text. */
const outputBytes = 8_192

function failureText({ status, reason, text }: MemberOutcome): string {
  return JSON.stringify({ status, reason, ...(text.trim() === '' ? {} : { output: cutText(text, outputBytes) }) })
}

/** Reads {@link failureText}. Another text, such as that of a hook that blocked the call, is the reason. */
export function parseFailure(text: string): Pick<MemberOutcome, 'text' | 'status' | 'reason'> {
  try {
    const { status = 'failed', reason, output = '' } = JSON.parse(text)
    return { status, reason, text: output }
  } catch {
    return { status: 'failed', reason: text, text: '' }
  }
}

function describeTask(history: MemberHistory): string {
  return history === 'full'
    ? 'The task. The agent also sees the conversation.'
    : 'The task, with everything needed to do it: the agent may see nothing else.'
}

function firstSentence(instruction = ''): string {
  return firstChars(instruction.split(/(?<=[.!?])\s/)[0] ?? '', 300)
}

/** A message's images and files. */
function partsOf(message: Message | undefined): UserPart[] {
  if (message?.role !== 'user' || typeof message.content === 'string') return []
  return message.content.filter(({ type }) => type !== 'text')
}
