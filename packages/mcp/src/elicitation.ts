import { AsyncLocalStorage } from 'node:async_hooks'
import type { JSONValue, ToolContext } from '@agentkit/core'
import { askPerson } from '@agentkit/core/internal'
import type { ElicitRequestParams, ElicitResult } from '@modelcontextprotocol/client'
import { limits } from './limits.ts'
import type { Server } from './options.ts'

/** A call that is running. */
export type RunningCall = {
  readonly tool: string
  readonly context: ToolContext
  /** Notes that are added to the result of the call. */
  readonly notes: string[]
  /** The number of requests for input during the call. */
  asked: number
  /** Stops the timer of the request. @returns a function that restarts it */
  hold(): () => void
  /** Called when the stream that should have had the answer has ended. */
  streamEnded(): void
}

/** The call whose answer is being read: over HTTP a server asks in the answer itself. */
export const currentCall: AsyncLocalStorage<RunningCall> = new AsyncLocalStorage()

/** The calls of one server. */
export type Calls = {
  readonly running: Set<RunningCall>
  openRequests: number
  /** The last two users whose calls ended before their answer, with the times, by `performance.now()`: the server may still ask. */
  readonly left: Map<string, number>
}

/** Notes that a call of a user ended before its answer. */
export function leaveCall({ left }: Pick<Calls, 'left'>, userId: string): void {
  left.delete(userId) // to become the last one
  left.set(userId, performance.now())
  // The last two are enough: one of them is another user than that of a later call.
  const [first = ''] = left.keys()
  if (left.size > 2) left.delete(first)
}

/**
 * Answers a server that requests input. The result of the call mentions declined requests.
 *
 * @param signal ends when the server no longer waits
 * @param call absent where several calls are running, and the server does not say which one asks
 */
export async function elicit(
  params: ElicitRequestParams,
  { server, calls, signal }: { server: Server; calls: Calls; signal: AbortSignal },
  call: RunningCall | undefined = callOf(calls),
): Promise<ElicitResult> {
  const { onElicit, name } = server
  if (call) call.asked++
  const isTooMuch = calls.openRequests >= limits.openElicitations || (call?.asked ?? 0) > limits.elicitationsPerCall
  const asked = call ? [call] : [...calls.running]
  const users = call ? 1 : usersOf(asked, calls.left).size
  if (isTooMuch || asked.length === 0) return decline(params, { asked, users, server: name })
  const releases = asked.map((each) => each.hold())
  calls.openRequests++
  try {
    if (onElicit) {
      const ends = AbortSignal.any([signal, ...asked.map(({ context }) => context.signal)])
      return await onElicit(params, { server: name, ...(call && { tool: call.tool }), signal: ends })
    }
    const form = call && plainForm(params)
    const decision = form && (await askPerson(call.context, form.question, signal))
    if (!decision) return decline(params, { asked, users, server: name })
    if (decision === true) return { action: 'accept', content: form.accepted }
    const reason = 'deny' in decision && decision.deny !== '' ? `: ${decision.deny}` : '.'
    note(asked, `[A person declined what the MCP server "${name}" asked${reason}]`)
    return { action: 'decline' }
  } catch {
    note(asked, `[The request of the MCP server "${name}" for input failed.]`)
    return { action: 'cancel' }
  } finally {
    calls.openRequests--
    for (const release of releases) release()
  }
}

function callOf({ running, left }: Calls): RunningCall | undefined {
  const current = currentCall.getStore()
  if (current && running.has(current)) return current
  const [only] = running
  return running.size === 1 && only && usersOf([only], left).size === 1 ? only : undefined
}

/** The users of these calls, and those whose earlier calls the server may still ask about. */
function usersOf(calls: readonly RunningCall[], left: Calls['left']): Set<string> {
  const since = performance.now() - limits.lateQuestionMs
  const late = [...left].flatMap(([user, at]) => (at > since ? [user] : []))
  return new Set([...late, ...calls.map(({ context }) => context.userId)])
}

/** A form that a person can answer by yes or no: it has no field or one boolean, and its other fields may be empty. */
function plainForm(
  params: ElicitRequestParams,
): { question: JSONValue; accepted: Record<string, boolean> } | undefined {
  if (params.mode === 'url') return undefined
  const { message, requestedSchema } = params
  const fields = Object.entries(requestedSchema?.properties ?? {})
  const [field, ...others] = fields.filter(([, { type }]) => type === 'boolean')
  const mustBeFilled = (requestedSchema?.required ?? []).some((name) => name !== field?.[0])
  if (others.length > 0 || mustBeFilled || (fields.length > 0 && !field)) return undefined
  const text = JSON.stringify({ message, ...(field && { requestedSchema }) })
  if (text.length > limits.questionChars) return undefined
  return { question: JSON.parse(text), accepted: field ? { [field[0]]: true } : {} }
}

/** The address is shown, and never opened. No user receives what the server may have asked another one. */
function decline(
  params: ElicitRequestParams,
  { asked, users, server }: { asked: readonly RunningCall[]; users: number; server: string },
): ElicitResult {
  const what = users > 1 ? 'It does not say which of several calls it is for.' : shown(params)
  note(asked, `[The MCP server "${server}" requested input, which was declined: ${what}]`)
  return { action: 'decline' }
}

function shown(params: ElicitRequestParams): string {
  const message = JSON.stringify(params.message.slice(0, limits.errorChars))
  const address = params.mode === 'url' ? ` It asked to open ${params.url.slice(0, limits.errorChars)} .` : ''
  return `${message}.${address}`
}

function note(calls: readonly RunningCall[], text: string): void {
  for (const { notes } of calls) if (notes.length < limits.notes && !notes.includes(text)) notes.push(text)
}
