import { resultText } from '../conversation/long-results.ts'
import type { JSONValue } from '../data/message.ts'
import { isRecord } from '../data/message-problem.ts'
import { toolCalls } from '../data/transcript.ts'
import type { AgentSpec, Run } from '../loop/run/types.ts'
import { memberToolName } from '../runs/driver/member-run.ts'
import type { MemberStatus } from '../runs/member-outcome.ts'
import { parseFailure } from './member-tool.ts'

/** A member's answer to a task. */
export type MemberAnswer = {
  /** The member's id. */
  agent: string
  /** The task that it received. */
  task: string
  /** Its answer. */
  text: string
  /** How its run ended. */
  status: MemberStatus
  /** Why it is not `done`. */
  reason?: string
}

/** An answer with the id of its call. */
export type CalledAnswer = MemberAnswer & { callId: string }

/**
 * The answers of members since the swarm has the conversation, in the order of their calls. Agents that had it before may
 * have tools of the same names. Shortened results are restored.
 */
export function answersIn({ state, conversation, messagesBefore }: Run, members: readonly AgentSpec[]): CalledAnswer[] {
  const messages = state.messages.slice(messagesBefore)
  const byTool = new Map(members.map(({ id }) => [memberToolName(id), id]))
  const calls = messages.flatMap((message) => (message.role === 'assistant' ? toolCalls(message) : []))
  return calls.flatMap(({ callId, name, input }) => {
    const agent = byTool.get(name)
    const result = messages.find((message) => message.role === 'tool' && message.callId === callId)
    if (agent === undefined || result?.role !== 'tool') return []
    const text = conversation.findResult(callId) ?? resultText(result)
    return [
      {
        callId,
        agent,
        task: taskIn(input),
        ...(result.isError ? parseFailure(text) : { text, status: 'done' as const }),
      },
    ]
  })
}

/** A plan gives a text; the model of a parallel swarm, which may call members again, anything. */
function taskIn(input: JSONValue): string {
  return isRecord(input) && typeof input.task === 'string' ? input.task : ''
}

/** The last text among answers; empty where there is none. */
export function lastText(answers: readonly MemberAnswer[]): string {
  return answers.findLast(({ text }) => text !== '')?.text ?? ''
}
