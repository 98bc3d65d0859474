import type { ToolCall } from '../../contracts/model.ts'
import type { Citation } from '../../data/citation.ts'
import { isInstance, messageOf } from '../../data/errors.ts'
import type { JSONValue } from '../../data/message.ts'
import { type HookedCall, type HookedOutcome, runHook } from '../../policies/hooks.ts'
import { needsApproval } from '../../runs/needed-approvals.ts'
import { toToolResult } from '../../tools/tool-result.ts'
import { linkSignal, untilAborted } from '../../util/async/abort.ts'
import { MemberSuspended } from '../run/parent-run.ts'
import type { Attempt, Run } from '../run/types.ts'
import { failed } from './tool-attempt.ts'

/** Which calls may run, by their ids. */
export type Verdicts = {
  approved: ReadonlySet<string>
  /** The error results of calls that do not run. */
  refused: ReadonlyMap<string, string>
  /** What calls returned that do not run, by a person's word. */
  given: ReadonlyMap<string, JSONValue>
}

/** What the calls of one step share. */
export type StepCalls = Verdicts & {
  run: Run
  /** Aborts with the run, and for one of several calls when another or its result cannot be stored. */
  signal: AbortSignal
  /** Stores that a call begins; a failure ends the step. */
  begin(call: ToolCall): Promise<void>
  /** How long the store took for that, in milliseconds, by the ids of calls. */
  beginMs: Map<string, number>
  /** Ends the step: a call or its result cannot be stored. */
  end(error: unknown): void
  /** @throws why the step has ended */
  check(): void
  /** Called when all calls have ended. Absent for one call, which, as most steps have one, ends no other. */
  unlink?: () => void
}

/** @param calls how many calls the step has */
export function stepOf(run: Run, verdicts: Verdicts, calls: number): StepCalls {
  const { signal } = run.scope
  const controller = calls > 1 ? new AbortController() : undefined
  const beginMs = new Map<string, number>()
  let failure: { error: unknown } | undefined
  const end = (error: unknown): void => {
    failure ??= { error }
    controller?.abort(error)
  }
  return {
    ...verdicts,
    ...{ run, signal: controller?.signal ?? signal, end, beginMs },
    async begin({ callId, name }) {
      const startedAt = performance.now()
      try {
        await run.turn.begin?.([{ callId, name }])
        await run.turn.confirm?.()
      } catch (error) {
        end(error)
        throw error
      }
      beginMs.set(callId, performance.now() - startedAt)
    },
    check() {
      if (failure) throw failure.error
      signal.throwIfAborted()
    },
    ...(controller && { unlink: linkSignal(controller, signal) }),
  }
}

/**
 * Executes a call between the hooks `beforeTool` and `afterTool`.
 * @param sources receives what the call cites
 */
export async function betweenHooks(
  call: ToolCall,
  step: StepCalls,
  sources: Citation[],
  execute: (call: ToolCall, step: StepCalls, sources: Citation[]) => Promise<Attempt>,
): Promise<Attempt> {
  const { callId, name } = call
  const { agent, hookContext, toolBox } = step.run
  const { beforeTool } = agent.hooks
  const context = { ...hookContext, signal: step.signal }
  try {
    const given: HookedCall = { callId, name, input: call.input }
    const before = await runHook('beforeTool', beforeTool, given, context)
    if (before.block !== undefined) return failed(`The call was blocked: ${before.block}`)
    const changed = { ...call, input: before.value.input }
    if (
      before.changed &&
      !step.approved.has(callId) &&
      (await untilAborted(step.signal, needsApproval(changed, toolBox)))
    )
      return failed(notAllowed)
    return await checkedByHook(changed, await execute(changed, step, sources), step, sources)
  } catch (error) {
    step.check()
    if (isInstance(error, MemberSuspended)) throw error
    // A hook that fails allows nothing.
    sources.length = 0
    return failed(messageOf(error))
  }
}

/** The result of a call that a person reports, as if the tool had returned it. */
export async function giveResult(call: ToolCall, value: JSONValue, step: StepCalls): Promise<Attempt> {
  try {
    return await checkedByHook(call, { ...toToolResult(value, call.callId), isError: false }, step)
  } catch (error) {
    step.check()
    // A hook that fails allows nothing.
    return failed(messageOf(error))
  }
}

/** What a call resulted in, as the hook `afterTool` leaves it. */
async function checkedByHook(
  { callId, name, input }: ToolCall,
  attempt: Attempt,
  { run, signal }: StepCalls,
  sources: Citation[] = [],
): Promise<Attempt> {
  const { agent, hookContext } = run
  const outcome: HookedOutcome = { callId, name, input, output: attempt.output, isError: attempt.isError }
  const after = await runHook('afterTool', agent.hooks.afterTool, outcome, { ...hookContext, signal })
  if (after.block === undefined) {
    if (!after.changed) return attempt
    const { output, isError } = after.value
    return { ...toToolResult(output, callId), isError }
  }
  // The citations would reveal the blocked result.
  sources.length = 0
  return failed(`The result was blocked: ${after.block}`)
}

const notAllowed =
  'The call was not executed: the hook `beforeTool` changed it so that it needs approval, which it did not need before.'
