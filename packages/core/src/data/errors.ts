import { firstChars } from './first-chars.ts'
import { helpOf } from './help.ts'
import type { Usage } from './usage.ts'

/** Why an operation failed: a closed list that callers may switch over. */
export type ErrorCode =
  | 'invalid-config'
  | 'invalid-argument'
  | 'missing-key'
  | 'missing-package'
  | 'auth'
  | 'rate-limit'
  | 'quota'
  | 'overloaded'
  | 'context-overflow'
  | 'content-filter'
  | 'model-not-found'
  | 'bad-request'
  | 'invalid-tool-call'
  | 'provider-error'
  | 'network'
  | 'timeout'
  | 'aborted'
  | 'incomplete-stream'
  | 'malformed-stream'
  | 'tool-error'
  | 'session-busy'
  | 'session-conflict'
  | 'budget'
  | 'max-steps'
  | 'no-progress'
  | 'approval'
  | 'crashed'
  | 'not-found'
  | 'unreadable-file'
  | 'storage'
  | 'unsupported'

/** The wait that exceeded its timeout. */
export type TimeoutPhase = 'first-byte' | 'idle' | 'run' | 'tool'

/** Details of an error, beside its code and message. */
export type ErrorDetails = {
  /** The error that caused this one. */
  cause?: unknown
  /**
   * Whether the same call may succeed later. When absent, true for `network`, `timeout`, `rate-limit`, `overloaded`,
   * `incomplete-stream`, `malformed-stream`, and `provider-error` with a status of 408, 409, 425, 429 or 5xx.
   */
  retryable?: boolean
  /** How long the provider's server asks to wait, in milliseconds. */
  retryAfterMs?: number
  /** The factory's name: `openai`, `azure`, … */
  provider?: string
  /** The requested model, without its provider. */
  model?: string
  /** HTTP status of the provider's response. */
  status?: number
  /** The provider's id of the request. */
  requestId?: string
  /** The wait that exceeded its timeout, for `timeout`. */
  phase?: TimeoutPhase
  /** The run that failed. */
  runId?: string
  /** The usage of the failed run. */
  usage?: Usage
  /** How many of several runs were stored before the failure. */
  accepted?: number
}

const brand = Symbol.for('agentkit.error')

/** Of a message, in characters: it may name what came from outside. The error text of a tool may be as long. */
const longestMessage = 16_384

/**
 * The only error class of agentkit: a code from a closed list, a message with the fix, and a cause.
 *
 * Branded by `Symbol.for`, so that two copies of the package agree; check with {@link isAgentKitError}.
 *
 * @example
 * try {
 *   await agent.chat('Hello')
 * } catch (error) {
 *   if (isAgentKitError(error) && error.code === 'rate-limit') await wait(error.retryAfterMs ?? 1000)
 * }
 */
export class AgentKitError extends Error {
  override readonly name = 'AgentKitError'
  /** The kind of failure, from a closed list. */
  readonly code: ErrorCode
  /** Whether the same call may succeed later. */
  readonly retryable: boolean
  // Declared, not defined: an absent detail adds no key.
  /** How long the provider's server asks to wait, in milliseconds. */
  declare readonly retryAfterMs?: number
  /** The provider, such as `openai`. */
  declare readonly provider?: string
  /** The requested model, without its provider. */
  declare readonly model?: string
  /** The HTTP status of the provider's response. */
  declare readonly status?: number
  /** The provider's id of the request. */
  declare readonly requestId?: string
  /** The wait that exceeded its timeout, for `timeout`. */
  declare readonly phase?: TimeoutPhase
  /** The run that failed. */
  declare readonly runId?: string
  /** The tokens of the failed run. */
  declare readonly usage?: Usage
  /** How many runs a failed `enqueueMany` has stored. */
  declare readonly details?: { readonly accepted: number }

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(bounded(message), 'cause' in details ? { cause: details.cause } : undefined)
    Object.defineProperty(this, brand, { value: true })
    this.code = code
    this.retryable = details.retryable ?? isUsuallyRetryable(code, details)
    Object.assign(this, known(details, [...infoFields, 'runId', 'usage']))
    if (details.accepted !== undefined) Object.assign(this, { details: { accepted: details.accepted } })
  }

  /** What `JSON.stringify` and loggers show: all but the cause, which may hold anything, and the stack. */
  toJSON(): ErrorInfo & { name: string } & Pick<AgentKitError, 'runId' | 'usage' | 'details'> {
    const { name, runId, usage, details } = this
    return { name, ...toErrorInfo(this), ...(runId && { runId }), ...(usage && { usage }), ...(details && { details }) }
  }

  /** The page of the code: what it means, why it occurs and what to do. A URL, or a path below the folder of the app. */
  get help(): string {
    return helpOf(this.code)
  }
}

function bounded(message: string): string {
  return message.length > longestMessage ? `${firstChars(message, longestMessage)}…` : message
}

/** The error for a wrong argument or option. */
export function invalidArgument(message: string, details?: ErrorDetails): AgentKitError {
  return new AgentKitError('invalid-argument', message, details)
}

/** The error for a wrong configuration, or for a user's function that does not do what it should. */
export function invalidConfig(message: string, details?: ErrorDetails): AgentKitError {
  return new AgentKitError('invalid-config', message, details)
}

/** Codes of failures that usually pass. */
const retryableCodes: readonly ErrorCode[] = [
  'network',
  'timeout',
  'rate-limit',
  'overloaded',
  'incomplete-stream',
  'malformed-stream',
]
const retryableStatuses: readonly number[] = [408, 409, 425, 429]

function isUsuallyRetryable(code: ErrorCode, { status = 0, phase }: ErrorDetails): boolean {
  if (phase === 'tool') return false
  return (
    retryableCodes.includes(code) ||
    (code === 'provider-error' && (status >= 500 || retryableStatuses.includes(status)))
  )
}

/** A copy of the error with the run that it ended: the original may belong to another run too. */
export function errorOfRun(error: AgentKitError, run: { runId: string; usage: Usage }): AgentKitError {
  const copy = new AgentKitError(error.code, error.message, { ...error, cause: error.cause, ...run })
  if (error.stack !== undefined) copy.stack = error.stack
  return copy
}

/**
 * Whether a value is an {@link AgentKitError}, also one of another copy of this package.
 *
 * @param value anything that was thrown
 * @example
 * if (isAgentKitError(error) && error.code === 'budget') return 'The budget of this question is used up.'
 */
export function isAgentKitError(value: unknown): value is AgentKitError {
  try {
    return typeof value === 'object' && value !== null && brand in value
  } catch {
    // The traps of a proxy may throw.
    return false
  }
}

/** `instanceof` for thrown values, which may be a proxy whose traps throw. */
export function isInstance<Value>(value: unknown, type: new (...parameters: never[]) => Value): value is Value {
  try {
    return value instanceof type
  } catch {
    return false
  }
}

const infoFields = ['retryAfterMs', 'provider', 'model', 'status', 'requestId', 'phase'] as const

/** An error as plain JSON, as events have it. */
export type ErrorInfo = {
  /** The kind of failure, from a closed list. */
  code: ErrorCode
  /** What happened, and what to do. */
  message: string
  /** Whether the same call may succeed later. */
  retryable: boolean
} & Pick<ErrorDetails, 'retryAfterMs' | 'provider' | 'model' | 'status' | 'requestId' | 'phase'>

/** The error without its cause, which may hold anything. */
export function toErrorInfo(error: AgentKitError): ErrorInfo {
  return { code: error.code, message: error.message, retryable: error.retryable, ...known(error, infoFields) }
}

/** The named details that an error has: an absent one adds no key. */
function known<Name extends keyof ErrorDetails>(
  details: ErrorDetails,
  names: readonly Name[],
): Pick<ErrorDetails, Name> {
  const entries = names.flatMap((name) => (details[name] === undefined ? [] : [[name, details[name]]]))
  return Object.fromEntries(entries)
}

/**
 * The error of an aborted signal: `timeout` where its reason is a timeout, `aborted` otherwise.
 * A reason that is an AgentKitError is returned unchanged.
 *
 * @param callee the model that was called, if any, for the error
 */
export function abortError(signal: AbortSignal, callee: Pick<ErrorDetails, 'provider' | 'model'> = {}): AgentKitError {
  const reason: unknown = signal.reason
  if (isAgentKitError(reason)) return reason
  const details: ErrorDetails = { cause: reason, ...known(callee, ['provider', 'model']) }
  if (isInstance(reason, Error) && reason.name === 'TimeoutError') {
    return new AgentKitError('timeout', 'The run took longer than its signal allows.', { ...details, phase: 'run' })
  }
  return new AgentKitError('aborted', 'The run was aborted.', details)
}

/**
 * The message of any thrown value; empty when it has none. One that says nothing by itself, as `fetch failed`, has that of its
 * cause. Never throws.
 */
export function messageOf(thrown: unknown): string {
  return readMessage(thrown, mostCauses)
}

const mostCauses = 3

function readMessage(thrown: unknown, causesLeft: number): string {
  try {
    // Errors of another realm are no `instanceof Error`, and some SDKs throw plain objects with a message.
    const isObject = typeof thrown === 'object' && thrown !== null && 'message' in thrown
    if (!isObject) return typeof thrown === 'string' ? thrown : ''
    const { message, name, cause, errors } = thrown as Partial<Record<string, unknown>>
    const isSilent = message === 'fetch failed' || !message
    // Node's connection to a host with several addresses fails with all of them.
    const [inner] = isSilent && causesLeft > 0 ? [cause, ...(Array.isArray(errors) ? errors : [])].filter(Boolean) : []
    const reason = readMessage(inner, causesLeft - 1)
    const text = message || (reason === '' ? name : '')
    return [text, reason].filter((part) => typeof part === 'string' && part !== '').join(': ')
  } catch {
    return ''
  }
}

/** For the `default` of a switch over a closed union: a missing case does not compile. */
export function assertNever(value: never): never {
  throw invalidArgument(`Unexpected ${JSON.stringify(value)}.`)
}
