import { isDeepStrictEqual } from 'node:util'
import type { ModelRequest } from '../contracts/model.ts'
import { AgentKitError, isAgentKitError, messageOf } from '../data/errors.ts'
import type { AssistantMessage, JSONValue, Message, UserMessage } from '../data/message.ts'
import { messageProblem } from '../data/message-problem.ts'
import { toolCalls, validateTranscript } from '../data/transcript.ts'
import { untilAborted } from '../util/abort.ts'
import { checkOptions, isFunction, type OptionRules } from '../util/check-options.ts'
import { cloneJSON } from '../util/clone-json.ts'
import { measureJSON } from '../util/measure-json.ts'
import { redactSecrets } from '../util/redact.ts'

/** What a hook is told of the run. */
export type HookContext = {
  readonly runId: string
  readonly userId: string
  readonly sessionId?: string
  readonly signal: AbortSignal
}

/** Ends what a hook looks at. The user is told the reason as the answer; for a tool call, the model as its result. */
export type Block = { block: string }

/**
 * What a hook returns: nothing to go on, a value to use in the place of what it was given, or a block. What it was given
 * is its own copy: a change to it counts when it is returned.
 */
// biome-ignore lint/suspicious/noConfusingVoidType: a hook that only looks on may return what console.log does.
export type HookResult<Value> = Value | Block | undefined | void | Promise<Value | Block | undefined | void>

/**
 * Plain functions around a run. Each is given a value and may change or block it; what is absent costs nothing.
 * A hook that throws ends the run in its error, and a tool's hook its call: nothing passes a broken guardrail.
 *
 * Where `afterModel` or `output` is there, a step's text is told once they have let it pass, not while it comes.
 *
 * @example
 * const hooks: Hooks = {
 *   input: ({ content }) => (String(content).includes('password') ? { block: 'Please keep passwords to yourself.' } : undefined),
 *   beforeTool: (call) => console.log(call.name, call.input),
 *   output: ({ text }) => ({ text: text.replaceAll('Acme', 'ACME') }),
 * }
 */
export type Hooks = {
  /** The user's message, before anything is stored or asked. A blocked one is not stored. */
  input?(message: UserMessage, context: HookContext): HookResult<UserMessage>
  /** Each request to a model, those of summaries too. */
  beforeModel?(request: ModelRequest, context: HookContext): HookResult<ModelRequest>
  /** Each answer of a model, before its calls are run. Calls that are taken out are not run. */
  afterModel?(message: AssistantMessage, context: HookContext): HookResult<AssistantMessage>
  /** Each tool call that is about to run, its input not validated yet. */
  beforeTool?(call: HookedCall, context: HookContext): HookResult<HookedCall>
  /** What a tool returned, or why it failed, before the model sees it. */
  afterTool?(outcome: HookedOutcome, context: HookContext): HookResult<HookedOutcome>
  /** The final answer, before anybody sees it. */
  output?(answer: HookedAnswer, context: HookContext): HookResult<HookedAnswer>
}

export type HookedCall = { callId: string; name: string; input: unknown }
export type HookedOutcome = HookedCall & { output: unknown; isError: boolean }
export type HookedAnswer = { text: string }

/** What a hook made of a value. */
export type Hooked<Value> = { value: Value; changed: boolean; block?: undefined } | { block: string }

const hookRules = {
  input: isFunction,
  beforeModel: isFunction,
  afterModel: isFunction,
  beforeTool: isFunction,
  afterTool: isFunction,
  output: isFunction,
} satisfies OptionRules<Hooks>

/** @throws AgentKitError `invalid-argument` for what is no hook */
export function checkHooks(hooks: Hooks): void {
  checkOptions(hooks, hookRules, { of: 'hooks', example: '{ input(message) { … } }' })
}

/**
 * Runs one hook, until the run's signal aborts.
 * @throws AgentKitError what the hook throws; `invalid-config` for another error, and for a value that cannot be used
 */
export async function runHook<Value extends object>(
  name: keyof Hooks,
  hook: ((value: Value, context: HookContext) => HookResult<Value>) | undefined,
  value: Value,
  context: HookContext,
): Promise<Hooked<Value>> {
  if (!hook) return { value, changed: false }
  // All that hooks are given is plain JSON, but for fields that may be absent.
  const copy = cloneJSON(value as JSONValue) as Value
  const result = await untilAborted(context.signal, callHook(name, hook, copy, context))
  if (result === undefined || result === null) return { value, changed: false }
  try {
    if (isDeepStrictEqual(result, value)) return { value, changed: false }
    if (typeof result === 'object' && 'block' in result && typeof result.block === 'string') {
      return { block: result.block || 'Blocked.' }
    }
    checkHookResult(name, result)
    // What has been checked. An output of a tool may be anything, and is made plain later.
    return { value: (name === 'afterTool' ? result : cloneJSON(result as JSONValue)) as Value, changed: true }
  } catch (error) {
    throw isAgentKitError(error) ? error : unusableResult(name, error)
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
    if (isAgentKitError(cause)) throw cause
    const message = `The hook \`${name}\` failed: ${redactSecrets(messageOf(cause)) || 'it threw.'}`
    throw new AgentKitError('invalid-config', message, { cause })
  }
}

/** A hook has blocked the run: its reason is the answer. */
export class Blocked extends Error {
  override readonly name = 'Blocked'
}

/** @throws Blocked when the hook says so */
export async function passHook<Value extends object>(
  ...[name, hook, value, context]: Parameters<typeof runHook<Value>>
): Promise<{ value: Value; changed: boolean }> {
  const hooked = await runHook(name, hook, value, context)
  if (hooked.block !== undefined) throw new Blocked(hooked.block)
  return hooked
}

/** Hooks within hooks: the outer ones see what comes in first, and what goes out last. */
export function withHooksOf(outer: Hooks, inner: Hooks): Hooks {
  const hooks: Hooks = { ...outer, ...inner }
  const both = <Name extends keyof Hooks>(name: Name, first: Hooks, second: Hooks): void => {
    const [one, other] = [first[name], second[name]]
    if (one && other) hooks[name] = inTurn(name, one as AnyHook, other as AnyHook) as Hooks[Name]
  }
  for (const name of ['beforeModel', 'beforeTool'] as const) both(name, outer, inner)
  for (const name of ['afterModel', 'afterTool', 'output'] as const) both(name, inner, outer)
  return hooks
}

/** A hook whatever it is given: the two that are put together are of the same name. */
type AnyHook = (value: object, context: HookContext) => HookResult<object>

function inTurn(name: keyof Hooks, first: AnyHook, second: AnyHook): AnyHook {
  return async (given, context) => {
    const hooked = await runHook(name, first, given, context)
    if (hooked.block !== undefined) return { block: hooked.block }
    const last = await runHook(name, second, hooked.value, context)
    return last.block === undefined ? last.value : { block: last.block }
  }
}

/**
 * Checks what a hook returned in the place of what it was given: it goes to models and into history.
 * @throws AgentKitError `invalid-config` when it cannot be used, with the fix
 */
export function checkHookResult(name: keyof Hooks, result: unknown): void {
  const { isUsable } = rules[name]
  const isObject = typeof result === 'object' && result !== null
  if (isObject && isUsable(result) && (name === 'afterTool' || isJSON(result))) return
  throw unusableResult(name)
}

/** @param cause what looking at the result threw: it may be a proxy */
export function unusableResult(name: keyof Hooks, cause?: unknown): AgentKitError {
  const { wanted } = rules[name]
  const message = `The hook \`${name}\` returned what cannot be used. Return ${wanted}, { block: "why" }, or nothing.`
  return new AgentKitError('invalid-config', message, cause === undefined ? {} : { cause })
}

/** As deep as a schema within a request may stand, and more than any conversation holds. */
const bounds = { depth: 1_000, values: 10_000_000 }

function isJSON(value: object): boolean {
  return measureJSON(value, bounds).problem === undefined
}

const rules: Record<keyof Hooks, { wanted: string; isUsable(result: object): boolean }> = {
  input: {
    wanted: 'a message of the user that is not empty',
    isUsable: (message) => isMessage(message) && message.role === 'user' && message.content.length > 0,
  },
  beforeModel: {
    wanted: 'a request whose messages are a valid transcript',
    isUsable: (request) => 'messages' in request && isTranscript(request.messages),
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

function isTranscript(messages: unknown): boolean {
  return validateTranscript(messages as readonly Message[]).length === 0 // which checks what it is given
}

function isMessage(value: unknown): value is Message {
  return messageProblem(value) === undefined
}

function hasUniqueCalls(message: AssistantMessage): boolean {
  const ids = toolCalls(message).map(({ callId }) => callId)
  return new Set(ids).size === ids.length && !ids.includes('')
}
