import type { ToolCall } from '../contracts/model.ts'
import type { Tool, ToolContext } from '../contracts/tool.ts'
import type { Citation } from '../data/citation.ts'
import { AgentKitError, isInstance, messageOf } from '../data/errors.ts'
import type { JSONValue, ToolMessage } from '../data/message.ts'
import { limits } from '../limits.ts'
import type { Guard } from '../policies/guard.ts'
import { type HookedCall, type HookedOutcome, type Hooks, runHook } from '../policies/hooks.ts'
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
import { argumentProblem } from './check-event.ts'
import { type Inside, MemberWaits, withInside } from './types.ts'

export type ToolOutcome = { message: ToolMessage; output: unknown; durationMs: number; sources: Citation[] }

/** What the calls of one step share. */
export type ToolScope = {
  toolBox: ToolBox
  toolTimeoutMs: number
  signal: AbortSignal
  userId: string
  sessionId?: string
  runId: string
  hooks: Hooks
  guard: Guard
  /** The ids of calls that somebody has allowed. */
  approved: ReadonlySet<string>
  /** What is told of calls that do not run, by their ids. */
  refused: ReadonlyMap<string, string>
  /** Keeps what a result has beyond what is shown of it, where it has more. */
  keepWhole(callId: string, text: string | undefined): void
  /** Stores a finished call before anything builds on it. */
  onFinished(message: ToolMessage): Promise<void>
  /** For the tools that call members. */
  inside: Inside
}

/**
 * Runs the calls of one step, at most 8 at once.
 *
 * @returns one promise per call, in the order of the calls. Each gives an outcome, also when the call fails, or says
 * that the member waits that it has called; it rejects only when the run's signal aborts or the outcome cannot be stored.
 */
export function runTools(calls: readonly ToolCall[], scope: ToolScope): Promise<ToolOutcome | MemberWaits>[] {
  if (calls.length === 0) return []
  const inTurn = limitConcurrency(limits.parallelToolCalls)
  const step = new AbortController()
  const unlink = linkSignal(step, scope.signal)
  const outcomes = calls.map((call) => {
    const outcome = inTurn(() => runTool(call, { ...scope, signal: step.signal }).catch(unlessItWaits))
    // One that cannot be stored ends the others. The caller awaits them one by one, so none may count as unhandled.
    outcome.catch((error) => step.abort(error))
    return outcome
  })
  void Promise.allSettled(outcomes).then(unlink)
  return outcomes
}

function unlessItWaits(error: unknown): MemberWaits {
  if (isInstance(error, MemberWaits)) return error
  throw error
}

async function runTool(call: ToolCall, scope: ToolScope): Promise<ToolOutcome> {
  scope.signal.throwIfAborted()
  const startedAt = performance.now()
  const sources: Citation[] = []
  const refused = scope.refused.get(call.callId)
  const attempt = refused === undefined ? await executeHooked(call, scope, sources) : failed(refused)
  scope.keepWhole(call.callId, attempt.whole)
  const note = scope.guard.finished(call, attempt)
  const content = note === undefined ? attempt.content : withNote(attempt.content, note)
  const message: ToolMessage = { v: 1, role: 'tool', callId: call.callId, name: call.name, content }
  if (attempt.isError) message.isError = true
  await scope.onFinished(message)
  return { message, output: attempt.output, durationMs: performance.now() - startedAt, sources }
}

type Attempt = ToolResult & { isError: boolean }

function withNote(content: ToolMessage['content'], note: string): ToolMessage['content'] {
  return typeof content === 'string' ? `${content}\n${note}` : [...content, { type: 'text', text: note }]
}

function executeHooked(call: ToolCall, scope: ToolScope, sources: Citation[]): Promise<Attempt> {
  const { beforeTool, afterTool } = scope.hooks
  return beforeTool || afterTool ? betweenHooks(call, scope, sources) : execute(call, scope, sources)
}

async function betweenHooks(call: ToolCall, scope: ToolScope, sources: Citation[]): Promise<Attempt> {
  const { callId, name } = call
  const { hooks } = scope
  try {
    const given: HookedCall = { callId, name, input: call.input }
    const before = await runHook('beforeTool', hooks.beforeTool, given, scope)
    if (before.block !== undefined) return failed(`The call was blocked: ${before.block}`)
    const { input } = before.value
    const changed = { ...call, input }
    if (before.changed && !scope.approved.has(callId) && (await mayNotRun(changed, scope))) return failed(notAllowed)
    const attempt = await execute(changed, scope, sources)
    const outcome: HookedOutcome = { callId, name, input, output: attempt.output, isError: attempt.isError }
    const after = await runHook('afterTool', hooks.afterTool, outcome, scope)
    if (after.block === undefined) {
      if (!after.changed) return attempt
      const { output, isError } = after.value
      return { ...toToolResult(output, callId), isError }
    }
    // What it cited would tell of it.
    sources.length = 0
    return failed(`The result was blocked: ${after.block}`)
  } catch (error) {
    scope.signal.throwIfAborted()
    if (isInstance(error, MemberWaits)) throw error
    // Nothing passes a guardrail that is broken.
    sources.length = 0
    return failed(messageOf(error))
  }
}

/** Whether the input that a hook made of the model's is one that somebody must allow, and nobody was asked about. */
function mayNotRun(call: ToolCall, { toolBox, signal }: ToolScope): Promise<boolean> {
  return untilAborted(signal, needsApproval(call, toolBox))
}

const notAllowed =
  'The call was not run: it needs approval as the hook `beforeTool` has changed it, and did not as it was made.'

async function execute(call: ToolCall, scope: ToolScope, sources: Citation[]): Promise<Attempt> {
  const entry = scope.toolBox.byName.get(call.name)
  if (!entry) return failed(unknownTool(call.name, scope.toolBox))
  if (call.invalid !== undefined) return failed(notTaken(call.invalid))
  const timeoutMs = entry.tool.timeoutMs ?? scope.toolTimeoutMs
  const deadline = limitTime(scope.signal, timeoutMs)
  const context = withInside(
    {
      signal: deadline.signal,
      userId: scope.userId,
      ...(scope.sessionId === undefined ? {} : { sessionId: scope.sessionId }),
      runId: scope.runId,
      callId: call.callId,
      cite: (cited) => {
        for (const citation of checkCitations(cited)) sources.push(citation)
      },
    },
    scope.inside,
  )
  try {
    const attempt = validateAndExecute(entry, cloneJSON(call.input as JSONValue), context)
    return await untilAborted(deadline.signal, attempt)
  } catch (error) {
    // An ended run ends its tools; all else is for the model to know.
    scope.signal.throwIfAborted()
    if (isInstance(error, MemberWaits)) throw error
    return failed(messageOf(error))
  } finally {
    deadline.clear()
  }
}

async function validateAndExecute(
  { tool, schema }: { tool: Tool; schema: CompiledSchema },
  input: unknown,
  context: ToolContext,
): Promise<Attempt> {
  const checked = await schema.validate(input)
  if (checked.problems) {
    const problems = checked.problems.map((problem) => problem.replace(/\.$/, '')).join('; ')
    return failed(`The arguments do not fit the tool's schema. ${problems}. Send them again.`)
  }
  context.signal.throwIfAborted()
  const value = await withSignal(context.signal, () => tool.execute(checked.value, context))
  if (isRun(value)) return runResult(context, value as AgentRun)
  const mistake = mistakenResult(value)
  return mistake === undefined ? { ...toToolResult(value, context.callId), isError: false } : failed(mistake)
}

/** A run that was not asked for its result: that is plainly meant. */
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

/** What a function returned by mistake, and would be shown as `{}`. */
function mistakenResult(value: unknown): string | undefined {
  if (value instanceof Response) return 'The tool returned a Response: it should return await response.json().'
  if (typeof value === 'function') return 'The tool returned a function: it should return what it found.'
  const iterates = typeof value === 'object' && value !== null && 'next' in value && typeof value.next === 'function'
  return iterates ? 'The tool returned an iterator: it should return what it found.' : undefined
}

function failed(text: string): Attempt {
  const whole = text || 'The tool failed without a message.'
  // Redaction need not read a whole page, but must see more than is shown: a secret may stand across the cut.
  const clean = redactSecrets(whole.slice(0, limits.toolErrorBytes * 2))
  const content = cutText(clean, limits.toolErrorBytes, Math.max(whole.length, clean.length))
  return { content, output: content, isError: true }
}

/** Core's own bounds say what to do, a parser only what it met. */
function notTaken(invalid: string): string {
  return invalid === argumentProblem
    ? `The arguments were not taken (invalid-tool-call): they have ${invalid}. Send fewer, or in several calls.`
    : `The arguments are not valid JSON (${invalid}). Send them again.`
}

function unknownTool(name: string, toolBox: ToolBox): string {
  const names = [...toolBox.byName.keys()]
  return `There is no tool named "${name}". ${names.length > 0 ? `There are: ${names.join(', ')}.` : 'There are none.'}`
}

/** A signal that ends with the run or when the tool's time is up. */
function limitTime(runSignal: AbortSignal, timeoutMs: number): { signal: AbortSignal; clear(): void } {
  const controller = new AbortController()
  const unlink = linkSignal(controller, runSignal)
  const timer = setTimeout(() => {
    const message = `The tool did not finish within ${timeoutMs} ms.`
    controller.abort(new AgentKitError('timeout', message, { phase: 'tool' }))
  }, timeoutMs)
  return {
    signal: controller.signal,
    clear() {
      clearTimeout(timer)
      unlink()
    },
  }
}
