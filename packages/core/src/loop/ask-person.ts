import type { ToolCall } from '../contracts/model.ts'
import type { ToolContext } from '../contracts/tool.ts'
import type { Decision } from '../data/approval-data.ts'
import type { JSONValue } from '../data/message.ts'
import type { Deadline } from '../policies/deadline.ts'
import { approvalIdOf, placeOf } from '../runs/approval-id.ts'
import type { Run } from './types.ts'

type AskPerson = (input: JSONValue, signal: AbortSignal | undefined) => Promise<Decision | undefined>

/**
 * How running calls ask, by their contexts. A call that has ended has no entry: a minor garbage collection of V8 keeps what the
 * values of an older map refer to, here a whole run.
 */
const running = new WeakMap<ToolContext, AskPerson>()

/**
 * Asks a person about a call that is running, by an event `approval-request` of the call. Neither the tool's time nor the
 * run's passes meanwhile.
 *
 * The question is not stored: it ends with the call.
 * @param input what the person is asked, in place of the call's arguments
 * @param signal ends the question before the call ends
 * @returns `undefined` where no caller can decide: the run is not iterated, or ends with its approvals
 */
export async function askPerson(
  context: ToolContext,
  input: JSONValue,
  signal?: AbortSignal,
): Promise<Decision | undefined> {
  return running.get(context)?.(input, signal)
}

/** Lets a running call ask. @returns ends what it asks, as clocks may not stand still for a call that has ended */
export function allowAsking(
  context: ToolContext,
  run: Run,
  { callId, name }: ToolCall,
  deadline: Deadline,
): () => void {
  let count = 0
  // Few calls ask: a controller for each, and its abort, would take longer than a short tool.
  let ended: AbortController | undefined
  running.set(context, async (input, given) => {
    ended ??= new AbortController()
    const signal = AbortSignal.any([context.signal, ended.signal, ...(given ? [given] : [])])
    const { scope, ledger } = run
    count++
    // Of its own, as the call may have needed approval before it ran.
    const approvalId = approvalIdOf(placeOf(run), `${callId}?${count}`)
    const releases = [deadline.hold(), ledger.hold()]
    try {
      return await scope.ask({ approvalId, callId, name, input, kind: 'approval' }, signal)
    } finally {
      for (const release of releases) release()
    }
  })
  return () => {
    running.delete(context)
    ended?.abort()
  }
}
