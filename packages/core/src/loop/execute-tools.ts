import type { ToolCall } from '../contracts/model.ts'
import type { Tool, ToolContext } from '../contracts/tool.ts'
import type { Citation } from '../data/citation.ts'
import { isInstance, messageOf } from '../data/errors.ts'
import type { JSONValue, ToolMessage } from '../data/message.ts'
import { limits } from '../limits.ts'
import { startToolDeadline } from '../policies/deadline.ts'
import { type HookedCall, type HookedOutcome, runHook } from '../policies/hooks.ts'
import { needsApproval } from '../runs/approvals.ts'
import { withSignal } from '../runs/current-run.ts'
import type { AgentRun } from '../runs/run.ts'
import type { CompiledSchema } from '../schema/schema.ts'
import { checkCitations } from '../tools/check-citations.ts'
import { isRun, type ToolResult, toToolResult } from '../tools/tool-result.ts'
import type { ToolBox } from '../tools/toolbox.ts'
import { linkSignal, untilAborted } from '../util/abort.ts'
import { cloneJSON } from '../util/clone-json.ts'
import { limitConcurrency } from '../util/concurrency.ts'
import { cutText } from '../util/cut-text.ts'
import { redactSecrets } from '../util/redact.ts'
import { sha256 } from '../util/sha256.ts'
import { argumentProblem } from './check-event.ts'
import { MemberSuspended, withParentRun } from './parent-run.ts'
import type { Run } from './types.ts'

export type ToolOutcome = { message: ToolMessage; output: unknown; durationMs: number; sources: Citation[] }

/** Which calls may run, by their ids. */
export type Verdicts = {
  approved: ReadonlySet<string>
  /** The error results of calls that do not run. */
  refused: ReadonlyMap<string, string>
  /** What calls returned that do not run, by a person's word. */
  given: ReadonlyMap<string, JSONValue>
}

/** What the calls of one step share. */
type StepCalls = Verdicts & {
  run: Run
  /** Aborts with the run, and when a call or its result cannot be stored. */
  signal: AbortSignal
  /** Stores that a call begins; a failure ends the step. */
  begin(call: ToolCall): Promise<void>
}

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
  const inTurn = limitConcurrency(limits.parallelToolCalls)
  const controller = new AbortController()
  const unlink = linkSignal(controller, run.scope.signal)
  const begin = async ({ callId, name }: ToolCall): Promise<void> => {
    try {
      await run.turn.begin?.([{ callId, name }])
    } catch (error) {
      controller.abort(error)
      throw error
    }
  }
  const step: StepCalls = { run, signal: controller.signal, begin, ...verdicts }
  const outcomes = calls.map((call) => {
    const outcome = inTurn(() => executeTool(call, step).catch(unlessSuspended))
    // A result that cannot be stored ends the other calls. The caller awaits them one by one: none may be unhandled.
    outcome.catch((error) => controller.abort(error))
    return outcome
  })
  void Promise.allSettled(outcomes).then(unlink)
  return outcomes
}

function unlessSuspended(error: unknown): MemberSuspended {
  if (isInstance(error, MemberSuspended)) return error
  throw error
}

async function executeTool(call: ToolCall, step: StepCalls): Promise<ToolOutcome> {
  step.signal.throwIfAborted()
  const startedAt = performance.now()
  const { callId, name } = call
  const { guard, conversation, turn, state, agent, scope } = step.run
  const { beforeTool, afterTool } = agent.hooks
  const sources: Citation[] = []
  const refused = step.refused.get(callId)
  const given = step.given.get(callId)
  let attempt: Attempt
  if (refused !== undefined) attempt = failed(refused)
  else if (given !== undefined) attempt = await giveResult(call, given, step)
  else attempt = await (beforeTool || afterTool ? betweenHooks : execute)(call, step, sources)
  conversation.keepWhole(callId, attempt.whole)
  const note = guard.addResult(call, attempt)
  // The result of a planned call is no model's input, and the note would count as a member's answer.
  const content = note === undefined || state.reply.planned ? attempt.content : withNote(attempt.content, note)
  const message: ToolMessage = { v: 1, role: 'tool', callId, name, content }
  if (attempt.isError) message.isError = true
  state.cited.push(...sources)
  await untilAborted(scope.signal, turn.append([message]))
  state.finished.push(message)
  return { message, output: attempt.output, durationMs: performance.now() - startedAt, sources }
}

type Attempt = ToolResult & { isError: boolean }

function withNote(content: ToolMessage['content'], note: string): ToolMessage['content'] {
  return typeof content === 'string' ? `${content}\n${note}` : [...content, { type: 'text', text: note }]
}

async function betweenHooks(call: ToolCall, step: StepCalls, sources: Citation[]): Promise<Attempt> {
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
    step.signal.throwIfAborted()
    if (isInstance(error, MemberSuspended)) throw error
    // A hook that fails allows nothing.
    sources.length = 0
    return failed(messageOf(error))
  }
}

/** The result of a call that a person reports, as if the tool had returned it. */
async function giveResult(call: ToolCall, value: JSONValue, step: StepCalls): Promise<Attempt> {
  try {
    return await checkedByHook(call, { ...toToolResult(value, call.callId), isError: false }, step)
  } catch (error) {
    step.signal.throwIfAborted()
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

async function execute(call: ToolCall, { run, signal, begin }: StepCalls, sources: Citation[]): Promise<Attempt> {
  const { toolBox, agent, hookContext } = run
  const entry = toolBox.byName.get(call.name)
  if (!entry) return failed(unknownTool(call.name, toolBox))
  if (call.invalid !== undefined) return failed(invalidArguments(call.invalid))
  const deadline = startToolDeadline(signal, entry.tool.timeoutMs ?? agent.toolTimeoutMs)
  const context: ToolContext = {
    ...hookContext,
    signal: deadline.signal,
    callId: call.callId,
    idempotencyKey: idempotencyKey(run, call),
    cite: (cited) => {
      for (const citation of checkCitations(cited)) sources.push(citation)
    },
  }
  try {
    const input = cloneJSON(call.input as JSONValue)
    const attempt = validateAndExecute(entry, input, withParentRun(context, run), () => begin(call))
    return await untilAborted(deadline.signal, attempt)
  } catch (error) {
    // An aborted run ends its tools; the model receives all other errors.
    signal.throwIfAborted()
    if (isInstance(error, MemberSuspended)) throw error
    return failed(messageOf(error))
  } finally {
    deadline.stop()
  }
}

/** A hash, as ids of runs and calls may be long. The same whenever this step of the run makes this call. */
function idempotencyKey({ scope, members, state }: Run, { callId }: ToolCall): string {
  return sha256(JSON.stringify([scope.runId, members.memberPath, state.steps, callId]), 'base64url')
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

/** For a tool that returns a run itself, the result of the run. */
async function runResult(context: ToolContext, run: AgentRun): Promise<Attempt> {
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
function mistakenResult(value: unknown): string | undefined {
  if (value instanceof Response) return 'The tool returned a Response: it should return await response.json().'
  if (typeof value === 'function') return 'The tool returned a function: it should return what it found.'
  const iterates = typeof value === 'object' && value !== null && 'next' in value && typeof value.next === 'function'
  return iterates ? 'The tool returned an iterator: it should return what it found.' : undefined
}

function failed(text: string): Attempt {
  const whole = text || 'The tool failed without a message.'
  // Redaction reads more than is shown, as a secret may cross the cut, but not a whole page.
  const clean = redactSecrets(whole.slice(0, limits.toolErrorBytes * 2))
  const content = cutText(clean, limits.toolErrorBytes, Math.max(whole.length, clean.length))
  return { content, output: content, isError: true }
}

function invalidArguments(invalid: string): string {
  return invalid === argumentProblem
    ? `The arguments were not accepted (invalid-tool-call): they have ${invalid}. Send fewer, or in several calls.`
    : `The arguments are not valid JSON (${invalid}). Send them again.`
}

function unknownTool(name: string, toolBox: ToolBox): string {
  const names = [...toolBox.byName.keys()]
  return `There is no tool named "${name}". ${names.length > 0 ? `There are: ${names.join(', ')}.` : 'There are none.'}`
}
