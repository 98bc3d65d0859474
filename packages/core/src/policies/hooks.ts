import type { ModelRequest } from '../contracts/model.ts'
import { invalidArgument, invalidConfig, isAgentKitError } from '../data/errors.ts'
import type { AssistantMessage, JSONValue, Message, UserMessage } from '../data/message.ts'
import { isRecord, messageProblem } from '../data/message-problem.ts'
import { toolCalls } from '../data/transcript.ts'
import { untilAborted } from '../util/async/abort.ts'
import { cloneJSON } from '../util/json/clone-json.ts'
import { isDeepEqual } from '../util/json/deep-equal.ts'
import { measureJSON } from '../util/json/measure-json.ts'
import { checkOptions, isFunction, type OptionRules } from '../util/options/check-options.ts'
import { hookWords } from '../util/options/foreign-call-words.ts'
import { redactedError } from '../util/text/redact.ts'
import { requestProblem } from './request-problem.ts'

/** What a hook receives beside its value: the run that calls it. */
export type HookContext = {
  /** The id of the run. */
  readonly runId: string
  /** The user of the run. */
  readonly userId: string
  /** The session of the run; absent for a run without one. */
  readonly sessionId?: string
  /** Aborts when the run ends early. */
  readonly signal: AbortSignal
}

/** Blocks the value. The text becomes the answer of the run or, for a tool call, the result that the model receives. */
export type Block = { block: string }

/**
 * What a hook returns: nothing to continue, a replacement for the value, or a block. The hook receives a copy: a change
 * to it counts only when it is returned.
 */
// biome-ignore lint/suspicious/noConfusingVoidType: a hook that only observes may return what console.log does.
export type HookResult<Value> = Value | Block | undefined | void | Promise<Value | Block | undefined | void>

/**
 * Plain functions around a run. Each receives a value and may change or block it; an absent hook costs nothing.
 * A hook that throws fails the run with its error; in `beforeTool` and `afterTool` it fails the call. So a broken hook
 * blocks.
 *
 * With `afterModel` or `output`, the text of a step is emitted after the hook has accepted it, not while it streams.
 *
 * @example
 * const hooks: Hooks = {
 *   input: ({ content }) => (String(content).includes('password') ? { block: 'Please keep passwords to yourself.' } : undefined),
 *   beforeTool: (call) => console.log(call.name, call.input),
 *   output: ({ text }) => ({ text: text.replaceAll('Acme', 'ACME') }),
 * }
 */
export type Hooks = {
  /** The user's message, before it is stored or sent. A blocked message is not stored. */
  input?(message: UserMessage, context: HookContext): HookResult<UserMessage>
  /** Each request to a model, including those for summaries. */
  beforeModel?(request: ModelRequest, context: HookContext): HookResult<ModelRequest>
  /** Each answer of a model, before its tool calls are executed. Calls that the hook removes are not executed. */
  afterModel?(message: AssistantMessage, context: HookContext): HookResult<AssistantMessage>
  /** Each tool call before it runs. Its input is not validated yet. */
  beforeTool?(call: HookedCall, context: HookContext): HookResult<HookedCall>
  /** The result or the error of a tool, before the model receives it. */
  afterTool?(outcome: HookedOutcome, context: HookContext): HookResult<HookedOutcome>
  /** The final answer, before it is emitted. */
  output?(answer: HookedAnswer, context: HookContext): HookResult<HookedAnswer>
}

/** A tool call, as `beforeTool` receives it. */
export type HookedCall = { callId: string; name: string; input: unknown }
/** The outcome of a tool call, as `afterTool` receives it. */
export type HookedOutcome = HookedCall & { output: unknown; isError: boolean }
/** The final answer, as `output` receives it. */
export type HookedAnswer = { text: string }

/** The result of a hook. */
export type Hooked<Value> = { value: Value; changed: boolean; block?: undefined } | { block: string }

const hookRules = {
  input: isFunction,
  beforeModel: isFunction,
  afterModel: isFunction,
  beforeTool: isFunction,
  afterTool: isFunction,
  output: isFunction,
} satisfies OptionRules<Hooks>

/** @throws AgentKitError `invalid-argument` for an unknown hook, and for one that is not a function */
export function checkHooks(hooks: Hooks): void {
  const given = isOfClass(hooks) ? ofClass(hooks) : hooks
  checkOptions(given, hookRules, { of: 'hooks', example: '{ input(message) { … } }', words: hookWords })
}

/** The hooks of an agent. An object of a class has them as methods, which are not its own fields. */
export function hooksOf(given: Hooks = {}): Hooks {
  return Object.fromEntries(hookNames.flatMap((name) => (given[name] ? [[name, given[name].bind(given)]] : [])))
}

const hookNames = Object.keys(hookRules) as (keyof Hooks)[] // all of them, by `satisfies`

function isOfClass(hooks: unknown): hooks is Hooks {
  const prototype: unknown = isRecord(hooks) ? Object.getPrototypeOf(hooks) : null
  // A plain object of another realm, such as a test's, has another `Object.prototype`.
  return prototype !== null && Object.getPrototypeOf(prototype) !== null
}

/**
 * The hooks of an object of a class, which may have fields and methods for other purposes.
 * @throws AgentKitError `invalid-argument` when there are none: a guardrail with a misspelt name would be ignored
 */
function ofClass(hooks: Hooks): Hooks {
  const found = hookNames.filter((name) => hooks[name] !== undefined)
  if (found.length > 0) return Object.fromEntries(found.map((name) => [name, hooks[name]]))
  throw invalidArgument(`\`hooks\` is an object of a class without a hook. Known: ${hookNames.join(', ')}.`)
}

/**
 * Runs one hook, until the run's signal aborts.
 * @throws AgentKitError what the hook throws; `invalid-config` for any other error, and for an unusable result
 */
export async function runHook<Value extends object>(
  name: keyof Hooks,
  hook: ((value: Value, context: HookContext) => HookResult<Value>) | undefined,
  value: Value,
  context: HookContext,
): Promise<Hooked<Value>> {
  if (!hook) return { value, changed: false }
  // The values of hooks are plain JSON, except that fields may be undefined.
  const copy = cloneJSON(value as JSONValue) as Value
  const result = await untilAborted(context.signal, callHook(name, hook, copy, context))
  if (result === undefined || result === null) return { value, changed: false }
  try {
    if (isDeepEqual(result, value)) return { value, changed: false }
    if (typeof result === 'object' && 'block' in result && typeof result.block === 'string') {
      return { block: result.block || 'Blocked.' }
    }
    // A hook that returns `block: true` beside a value means to block.
    const isBlock = typeof result === 'object' && 'block' in result && Boolean(result.block)
    const isUsable = typeof result === 'object' && !isBlock && rules[name].isUsable(result)
    // The output of a tool may be anything, and becomes plain JSON later; other results are sent to models and stored.
    if (!isUsable || (name !== 'afterTool' && measureJSON(result, bounds).problem)) {
      throw unusableResult(name, {
        problem: name === 'beforeModel' ? requestProblem({ ...Object(result) }) : undefined,
      })
    }
    // The check covers the cast.
    return { value: (name === 'afterTool' ? result : cloneJSON(result as JSONValue)) as Value, changed: true }
  } catch (error) {
    throw isAgentKitError(error) ? error : unusableResult(name, { cause: error })
  }
}

async function callHook<Value>(
  name: keyof Hooks,
  hook: (value: Value, context: HookContext) => HookResult<Value>,
  value: Value,
  context: HookContext,
): Promise<unknown> {
  try {
    return await hook(value, context)
  } catch (cause) {
    throw redactedError(cause, 'invalid-config', `The hook \`${name}\` failed:`)
  }
}

/** Thrown when a hook blocks the run: its reason becomes the answer. */
export class Blocked extends Error {
  override readonly name = 'Blocked'
}

/** @throws Blocked when the hook returns a block */
export async function applyHook<Value extends object>(
  ...[name, hook, value, context]: Parameters<typeof runHook<Value>>
): Promise<{ value: Value; changed: boolean }> {
  const hooked = await runHook(name, hook, value, context)
  if (hooked.block !== undefined) throw new Blocked(hooked.block)
  return hooked
}

/** Combines the hooks of a parent and of its member: the parent's see input first, and output last. */
export function withHooksOf(outer: Hooks, inner: Hooks): Hooks {
  const hooks: Hooks = { ...outer, ...inner }
  const both = <Name extends keyof Hooks>(name: Name, first: Hooks, second: Hooks): void => {
    // Hooks of one name have one type, which the compiler does not follow.
    const [one, other] = [first[name], second[name]]
    if (one && other) hooks[name] = inTurn(name, one as AnyHook, other as AnyHook) as Hooks[Name]
  }
  for (const name of ['beforeModel', 'beforeTool'] as const) both(name, outer, inner)
  for (const name of ['afterModel', 'afterTool', 'output'] as const) both(name, inner, outer)
  return hooks
}

/** A hook of any value: two combined hooks have the same name. */
type AnyHook = (value: object, context: HookContext) => HookResult<object>

function inTurn(name: keyof Hooks, first: AnyHook, second: AnyHook): AnyHook {
  return async (given, context) => {
    const hooked = await runHook(name, first, given, context)
    if (hooked.block !== undefined) return { block: hooked.block }
    const last = await runHook(name, second, hooked.value, context)
    return last.block === undefined ? last.value : { block: last.block }
  }
}

/** @param details.cause the error of reading the result, which may be a proxy */
function unusableResult(name: keyof Hooks, { problem, ...details }: { problem?: string | undefined; cause?: unknown }) {
  const { wanted } = rules[name]
  const message = `The hook \`${name}\` returned what cannot be used. Return ${wanted}, { block: "why" }, or nothing.`
  return invalidConfig(problem === undefined ? message : `${message} ${problem}.`, details)
}

/** Deep enough for the schemas in a request, and more values than any conversation has. */
const bounds = { depth: 1_000, values: 10_000_000 }

const rules: Record<keyof Hooks, { wanted: string; isUsable(result: object): boolean }> = {
  input: {
    wanted: 'a message of the user that is not empty',
    isUsable: (message) => isMessage(message) && message.role === 'user' && message.content.length > 0,
  },
  beforeModel: {
    wanted: 'a request whose messages are a valid transcript',
    isUsable: (request) => requestProblem({ ...request }) === undefined,
  },
  afterModel: {
    wanted: 'a message of the assistant whose tool calls have ids of their own',
    isUsable: (message) => isMessage(message) && message.role === 'assistant' && hasUniqueCalls(message),
  },
  beforeTool: {
    wanted: 'the call with another `input`',
    isUsable: (call) => 'input' in call,
  },
  afterTool: {
    wanted: 'the outcome with another `output` or `isError`',
    isUsable: (outcome) => 'output' in outcome && 'isError' in outcome && typeof outcome.isError === 'boolean',
  },
  output: {
    wanted: 'the answer with another `text`',
    isUsable: (answer) => 'text' in answer && typeof answer.text === 'string',
  },
}

function isMessage(value: unknown): value is Message {
  return messageProblem(value) === undefined
}

function hasUniqueCalls(message: AssistantMessage): boolean {
  const ids = toolCalls(message).map(({ callId }) => callId)
  return new Set(ids).size === ids.length && !ids.includes('')
}
