import { abortError } from '../data/errors.ts'
import type { Message, ToolMessage } from '../data/message.ts'
import { toolCalls } from '../data/transcript.ts'
import { limits } from '../limits.ts'
import { isHandedBack } from '../loop/run/parent-run.ts'
import type { AgentSpec, Run } from '../loop/run/types.ts'
import { failed } from '../loop/tools/tool-attempt.ts'
import { memberToolName } from '../runs/driver/member-run.ts'
import type { MemberOutcome } from '../runs/member-outcome.ts'
import { cutText } from '../util/text/cut-text.ts'
import { type MemberTurn, storeMemberTurn } from './member-sessions.ts'

type StoppedCall = {
  member: AgentSpec
  callId: string
  memberPath: string
  /** What members of the member had finished. */
  stopped: readonly string[]
}

/**
 * Keeps what a member had finished when the run was aborted, so that the next run does not repeat it: as the result of its
 * call, and in its session. Nothing is kept of a run that another process has or continues, nor of a background run, which
 * may be retried.
 */
export async function keepStoppedMember(
  run: Run,
  { member, callId, memberPath, stopped }: StoppedCall,
  outcome: MemberOutcome,
  turn: MemberTurn,
): Promise<void> {
  const { scope, state } = run
  const { swarm } = scope.member ?? { swarm: run }
  if (swarm.delegates || isHandedBack(undefined, swarm) || abortError(scope.signal).code === 'storage') return
  const finished = [...finishedCalls(turn.messages), ...stopped]
  if (finished.length === 0) return
  const { content } = failed(stoppedText(outcome, finished))
  const message: ToolMessage = { v: 1, role: 'tool', callId, name: memberToolName(member.id), content, isError: true }
  try {
    await run.turn.append([message])
  } catch {
    // Another process has the run, or its store has failed.
    return
  }
  state.finished.push(message)
  for (const call of finished) scope.member?.stopped.push(call)
  const signal = AbortSignal.timeout(limits.endErrorMs)
  await storeMemberTurn(run, memberPath, turn, { signal, confirm: () => swarm.turn.append([]) })
}

/** The most calls in the text, and the bytes of one. */
const shownCalls = { most: 20, bytes: 200 }

/** As the text of a member that failed, with what it had finished. */
function stoppedText({ status, reason = 'It was stopped.' }: MemberOutcome, calls: readonly string[]): string {
  const more = calls.length - shownCalls.most
  const finished = [...calls.slice(0, shownCalls.most), ...(more > 0 ? [`and ${more} more`] : [])]
  return JSON.stringify({ status: status === 'done' ? 'aborted' : status, reason, finished })
}

/** The calls that have a result, each in a line. */
function finishedCalls(messages: readonly Message[]): string[] {
  const results = new Map(messages.flatMap((message) => (message.role === 'tool' ? [[message.callId, message]] : [])))
  return messages
    .flatMap((message) => (message.role === 'assistant' ? toolCalls(message) : []))
    .filter(({ callId }) => results.has(callId))
    .map(({ name, input }) => cutText(`${name} ${JSON.stringify(input)}`, shownCalls.bytes))
}
