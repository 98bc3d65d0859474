import type { ToolCall } from '../../contracts/model.ts'
import type { ToolContext } from '../../contracts/tool.ts'
import type { ToolMessage } from '../../data/message.ts'
import { limits } from '../../limits.ts'
import { isRepetitionNote } from '../../policies/loop-detection.ts'
import { withSignal } from '../../runs/current-run.ts'
import type { AgentRun } from '../../runs/driver/run.ts'
import { toToolResult } from '../../tools/tool-result.ts'
import type { ToolBox } from '../../tools/toolbox.ts'
import { cutText } from '../../util/text/cut-text.ts'
import { redactSecrets } from '../../util/text/redact.ts'
import { sha256 } from '../../util/text/sha256.ts'
import { argumentProblem } from '../model/check-event.ts'
import type { Attempt, Run } from '../run/types.ts'

/** For a tool that returns a run itself, the result of the run. */
export async function runResult(context: ToolContext, run: AgentRun): Promise<Attempt> {
  const { text, error, finishReason, warnings, approvals, runId } = await withSignal(context.signal, () => run.result)
  if (error) return failed(error.message)
  if (finishReason === 'approval') {
    const what = approvals.map(({ approvalId, name }) => `"${approvalId}" (${name})`).join(', ')
    return failed(
      `The run has no answer yet: it waits for approval of ${what}. It continues by agent.resume("${runId}", decisions).`,
    )
  }
  if (text === '' && finishReason !== 'stop')
    return failed(`The run ended with "${finishReason}". ${warnings.at(-1) ?? ''}`)
  return { ...toToolResult(text, context.callId), isError: false }
}

/** Values that a tool returns by mistake, and that JSON would show as `{}`. */
export function mistakenResult(value: unknown): string | undefined {
  if (value instanceof Response) return 'The tool returned a Response: it should return await response.json().'
  if (typeof value === 'function') return 'The tool returned a function: it should return what it found.'
  return isIterator(value) ? 'The tool returned an iterator: it should return what it found.' : undefined
}

/** By the protocol, or without any data beside its methods: nodes of lists and pages of results have a `next` too. */
function isIterator(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || !('next' in value) || typeof value.next !== 'function')
    return false
  if (Symbol.iterator in value || Symbol.asyncIterator in value) return true
  return Object.values(value).every((field) => typeof field === 'function')
}

/** The error result of a call: the text without secrets, cut to its bound. */
export function failed(text: string): Attempt {
  const whole = text || 'The tool failed without a message.'
  // Redaction reads more than is shown, as a secret may cross the cut, but not a whole page.
  const clean = redactSecrets(whole.slice(0, limits.toolErrorBytes * 2).toWellFormed())
  const content = cutText(clean, limits.toolErrorBytes, Math.max(whole.length, clean.length))
  return { content, output: content, isError: true }
}

/** What the model reads about arguments that could not be read. */
export function invalidArguments(invalid: string): string {
  return invalid === argumentProblem
    ? `The arguments were not accepted (invalid-tool-call): they have ${invalid}. Send fewer, or in several calls.`
    : `The arguments are not valid JSON (${invalid}). Send them again.`
}

/** What the model reads about a tool that does not exist. */
export function unknownTool(name: string, toolBox: ToolBox): string {
  const names = [...toolBox.byName.keys()]
  return `There is no tool named "${name}". ${names.length > 0 ? `There are: ${names.join(', ')}.` : 'There are none.'}`
}

/** A hash, as ids of runs and calls may be long. The same whenever this step of the run makes this call. */
export function idempotencyKey({ scope, members, state }: Run, { callId }: ToolCall): string {
  const { runId, member } = scope
  // A member may be called again: it then counts its steps from 1, and its model may use the id of a call again.
  const callers = member ? [member.callers] : []
  return sha256(JSON.stringify([runId, members.memberPath, state.steps, callId, ...callers]), 'base64url')
}

/** Adds what the loop detection says to a result. */
export function withNote(content: ToolMessage['content'], note: string): ToolMessage['content'] {
  return typeof content === 'string' ? `${content}\n${note}` : [...content, { type: 'text', text: note }]
}

/** The content of a stored result without that note. */
export function withoutNote(content: ToolMessage['content']): ToolMessage['content'] {
  if (typeof content !== 'string') {
    const last = content.at(-1)
    return last?.type === 'text' && isRepetitionNote(last.text) ? content.slice(0, -1) : content
  }
  const end = content.lastIndexOf('\n')
  return end >= 0 && isRepetitionNote(content.slice(end + 1)) ? content.slice(0, end) : content
}
