import type { ToolCall } from '../../contracts/model.ts'
import type { Tool, ToolContext } from '../../contracts/tool.ts'
import type { Citation } from '../../data/citation.ts'
import { isAgentKitError, isInstance, messageOf } from '../../data/errors.ts'
import type { JSONValue, ToolMessage } from '../../data/message.ts'
import { limits } from '../../limits.ts'
import { startToolDeadline } from '../../policies/deadline.ts'
import { withSignal } from '../../runs/current-run.ts'
import type { AgentRun } from '../../runs/driver/run.ts'
import type { CompiledSchema } from '../../schema/schema.ts'
import { isRun, toToolResult } from '../../tools/tool-result.ts'
import { untilAborted } from '../../util/async/abort.ts'
import { limitConcurrency } from '../../util/async/concurrency.ts'
import { cloneJSON } from '../../util/json/clone-json.ts'
import { MemberSuspended } from '../run/parent-run.ts'
import { withToolSpan } from '../run/spans.ts'
import type { Attempt, Run } from '../run/types.ts'
import { RunningCall } from './running-call.ts'
import { failed, invalidArguments, mistakenResult, runResult, unknownTool, withNote } from './tool-attempt.ts'
import { betweenHooks, giveResult, type StepCalls, stepOf, type Verdicts } from './tool-hooks.ts'

export type ToolOutcome = { message: ToolMessage; output: unknown; durationMs: number; sources: Citation[] }

/**
 * Executes the calls of one step, at most 8 at once, and stores each result.
 *
 * @returns one promise per call, in the order of the calls. It resolves to the outcome, also of a call that fails, or to
 * `MemberSuspended`; it rejects only when the run's signal aborts or the outcome cannot be stored.
 */
export function executeTools(
  run: Run,
  calls: readonly ToolCall[],
  verdicts: Verdicts,
): Promise<ToolOutcome | MemberSuspended>[] {
  if (calls.length === 0) return []
  const step = stepOf(run, verdicts, calls.length)
  const inTurn = limitConcurrency(limits.parallelToolCalls)
  const outcomes = calls.map((call) => {
    const outcome = inTurn(() => executeTool(call, step).catch(unlessSuspended))
    // A result that cannot be stored ends the other calls. The caller awaits them one by one: none may be unhandled.
    outcome.catch(step.end)
    return outcome
  })
  if (step.unlink) void Promise.allSettled(outcomes).then(step.unlink)
  return outcomes
}

function unlessSuspended(error: unknown): MemberSuspended {
  if (isInstance(error, MemberSuspended)) return error
  throw error
}

async function executeTool(call: ToolCall, step: StepCalls): Promise<ToolOutcome> {
  step.check()
  const startedAt = performance.now()
  const { callId, name } = call
  const { guard, conversation, turn, state, agent, scope } = step.run
  const { hooks } = agent
  const sources: Citation[] = []
  const refused = step.refused.get(callId)
  const given = step.given.get(callId)
  let attempt: Attempt
  if (refused !== undefined) attempt = failed(refused)
  else if (given !== undefined) attempt = await giveResult(call, given, step)
  else
    attempt = await withToolSpan(step.run, call, () =>
      hooks.beforeTool || hooks.afterTool ? betweenHooks(call, step, sources, execute) : execute(call, step, sources),
    )
  // What the store takes to note the call and its result is not the tool's time.
  const durationMs = performance.now() - startedAt - (step.beginMs.get(callId) ?? 0)
  conversation.keepWhole(callId, attempt.whole)
  const note = guard.addResult(call, attempt)
  // The result of a planned call is not a model's input, and the note would count as a member's answer.
  const content = note === undefined || state.reply.planned ? attempt.content : withNote(attempt.content, note)
  const message: ToolMessage = { v: 1, role: 'tool', callId, name, content }
  if (attempt.isError) message.isError = true
  else if (step.run.toolBox.byName.get(name)?.tool.keepResult) message.kept = true
  for (const source of sources) state.cited.push(source)
  await untilAborted(scope.signal, turn.append([message]))
  state.finished.push(message)
  return { message, output: attempt.output, durationMs, sources }
}

async function execute(call: ToolCall, step: StepCalls, sources: Citation[]): Promise<Attempt> {
  const { run, signal } = step
  const { toolBox, agent } = run
  const entry = toolBox.byName.get(call.name)
  if (!entry) return failed(unknownTool(call.name, toolBox))
  if (call.invalid !== undefined) return failed(invalidArguments(call.invalid))
  const deadline = startToolDeadline(signal, entry.tool.timeoutMs ?? agent.toolTimeoutMs)
  const context = new RunningCall(run, call, deadline, sources)
  try {
    const input = cloneJSON(call.input as JSONValue) // by `checkEvent`
    const begin = (): Promise<void> => {
      const release = deadline.hold()
      return step.begin(call).finally(release)
    }
    const attempt = validateAndExecute(entry, input, context, begin)
    return await untilAborted(context.signal, attempt)
  } catch (error) {
    // A step that has ended ends its tools; the model receives all other errors.
    step.check()
    if (isInstance(error, MemberSuspended)) throw error
    const attempt = failed(messageOf(error))
    return isAgentKitError(error) && error.code === 'timeout' ? { ...attempt, timeout: error } : attempt
  } finally {
    deadline.stop()
    context.end()
  }
}

async function validateAndExecute(
  { tool, schema }: { tool: Tool; schema: CompiledSchema },
  input: unknown,
  context: ToolContext,
  begin: () => Promise<void>,
): Promise<Attempt> {
  const checked = await schema.validate(input)
  if (checked.problems) {
    const problems = checked.problems.map((problem) => problem.replace(/\.$/, '')).join('; ')
    return failed(`The arguments do not fit the tool's schema. ${problems}. Send them again.`)
  }
  await begin()
  context.signal.throwIfAborted()
  const value = await withSignal(context.signal, () => tool.execute(checked.value, context))
  if (isRun(value)) return runResult(context, value as AgentRun)
  const mistake = mistakenResult(value)
  return mistake === undefined ? { ...toToolResult(value, context.callId), isError: false } : failed(mistake)
}
