import { AgentKitError, type ErrorCode, type ErrorDetails, isAgentKitError } from '@agentkit/core'
import {
  causesOf,
  connectionFailure,
  firstChars,
  nearestWord,
  redactSecrets,
  silenceError,
} from '@agentkit/core/internal'
import { errorCode, isRetryable, retryAfterMs, waitInWords } from './error-code.ts'
import { type Failure, failureOfSdkError } from './failure.ts'

/** The provider and the model of a call; its errors carry them. */
export type Callee = { provider: string; model: string }

/** The context for the errors of a call: their details, and the secrets that they must not contain. */
export type ErrorContext = Callee & {
  /** Values that are redacted from errors: the key, headers with credentials. */
  secrets: readonly string[]
  /** The models that are known, for a name that the provider does not know. */
  models?: readonly string[]
  /** The fix for an error, if there is one. */
  hint?(code: ErrorCode, failure: Failure): string | undefined
}

/** Longest message of a provider in ours; in characters. */
const longestMessage = 600
/** How much of a message the classification reads; in characters. */
const longestRead = 4096
const longestBody = 4096
/** Longest code, type or request id of a provider; in characters. */
const longestName = 200

/**
 * The AgentKitError of a failed call or an error frame. Its `cause` holds the provider's answer as plain data, cut at
 * 4 kB; secrets are redacted from message and cause.
 */
export function providerError(reported: Failure, context: ErrorContext): AgentKitError {
  const { provider, model, secrets } = context
  const failure = {
    ...reported,
    body: reported.body ?? reported.message,
    message: reported.message.slice(0, longestRead),
  }
  const code = errorCode(failure)
  const words = cut(redactSecrets(plainWords(failure.message), secrets), longestMessage)
  const hint = fixedHint(code, failure) ?? nearestModel(code, context) ?? context.hint?.(code, failure)
  const details: ErrorDetails = {
    provider,
    model,
    retryable: isRetryable(code, failure),
    cause: causeOf(failure, secrets),
  }
  // A failure within a stream has no headers of its own.
  const inWords = code === 'rate-limit' && !failure.headers ? waitInWords(failure.message) : undefined
  const wait = retryAfterMs(failure.headers) ?? failure.retryAfterMs ?? inWords
  const requestId = requestIdOf(failure.headers) ?? failure.requestId
  if (failure.status !== undefined) details.status = failure.status
  if (wait !== undefined) details.retryAfterMs = wait
  if (requestId !== undefined) details.requestId = requestId.slice(0, longestName)
  if (code === 'timeout') details.phase = 'first-byte'
  const status = failure.status === undefined ? '' : ` (${failure.status})`
  const message = `${provider} ${sentences[code] ?? 'failed'}${status}: ${words}`
  return new AgentKitError(code, hint ? `${sentence(message)} ${hint}` : message, details)
}

function sentence(text: string): string {
  return /[.!?:…)]$/.test(text) ? text : `${text}.`
}

function nearestModel(code: ErrorCode, { model, models = [] }: ErrorContext): string | undefined {
  const nearest = code === 'model-not-found' ? nearestWord(model, models) : undefined
  return nearest === undefined || nearest === model ? undefined : `Did you mean "${nearest}"?`
}

/** Redirects to another origin are not followed: they would send it the key. */
const redirectHint = 'It redirects the request to another server, which is not followed: check the address.'

/** OpenAI takes 128 tools; other servers have limits of their own. */
const toolsHint = 'Give the agent fewer tools, or divide them among the members of a swarm.'
const tooManyTools = /\btools\b.{0,40}(?:array too long|maximum (?:length|number))|too many (?:tools|functions)\b/i

/** The fix of an error that does not depend on the provider. */
function fixedHint(code: ErrorCode, { status = 0, message }: Failure): string | undefined {
  if (status >= 300 && status < 400) return redirectHint
  return code === 'bad-request' && tooManyTools.test(message) ? toolsHint : undefined
}

const sentences: Partial<Record<ErrorCode, string>> = {
  auth: 'refused the key',
  'rate-limit': 'limits the rate of requests',
  quota: 'has no quota left for this key',
  overloaded: 'is overloaded',
  'context-overflow': 'was given more than the model can read',
  'content-filter': 'filtered the request',
  'model-not-found': 'does not know the model',
  'bad-request': 'refused the request',
  'invalid-tool-call': 'could not parse the tool call of the model',
  timeout: 'gave up waiting',
}

/**
 * The AgentKitError for an error of an SDK, of our fetch or of a broken body.
 * @param failureOf reads an error of the SDK; the default reads errors of OpenAI, Anthropic and Groq
 */
export function toProviderError(
  error: unknown,
  context: ErrorContext,
  failureOf: (error: unknown) => Failure = failureOfSdkError,
): AgentKitError {
  if (isAgentKitError(error)) return error
  const failure = failureOf(error)
  if (failure.status !== undefined) return providerError(failure, context)
  const network = networkError(error, context)
  if (network) return network
  // There was no response and no broken connection: the call was not made, and would fail again.
  const { message, cause } = providerError(failure, context)
  return new AgentKitError('provider-error', message, { provider: context.provider, model: context.model, cause })
}

/** The error of a stream that ended without a finish reason: it may be cut off. */
export function incompleteStream({ provider, model }: Callee): AgentKitError {
  const message = `The answer of ${provider} ended before it was complete.`
  return new AgentKitError('incomplete-stream', message, { provider, model, retryable: true })
}

/** The error of a failed connection, or of a timer of Node or the SDK; `undefined` for any other error. */
export function networkError(error: unknown, { provider, model, secrets }: ErrorContext): AgentKitError | undefined {
  const chain = causesOf(error)
  const failure = connectionFailure(chain)
  if (!failure) return undefined
  const { code, phase, reason, systemCode } = failure
  const words = cut(redactSecrets(chain.map(({ message }) => message).join(': '), secrets), longestMessage)
  const cause = { name: chain[0]?.name, code: systemCode, message: words }
  const details = { provider, model, retryable: reason !== 'certificate', cause }
  if (code === 'timeout') return silenceError(provider, phase === 'idle' ? 'idle' : 'first-byte', undefined, details)
  const refused = proxyRefusal.exec(words)?.[1]
  if (refused !== undefined) return proxyError(refused, provider, { ...details, retryable: Number(refused) >= 500 })
  const message =
    reason === 'certificate'
      ? `${provider} has a certificate that is not trusted (${systemCode}). Name its authority in NODE_EXTRA_CA_CERTS.`
      : `The connection to ${provider} failed (${systemCode ?? words}).${reason === 'address' ? ' Check the address.' : ''}`
  return new AgentKitError('network', message, details)
}

/** The message of Node if a proxy refuses the connection. */
const proxyRefusal = /Proxy response \((\d{3})\)/

function proxyError(status: string, provider: string, details: ErrorDetails): AgentKitError {
  const fix =
    status === '407'
      ? 'It asks for a name and a password: http://name:password@proxy:3128 in HTTPS_PROXY.'
      : 'Look at its rules, or name the host in NO_PROXY.'
  return new AgentKitError('network', `The proxy refused the connection to ${provider} (${status}). ${fix}`, details)
}

function causeOf(failure: Failure, secrets: readonly string[]): object {
  const { status, code, type, failedGeneration, body, message } = failure
  const plain = (text: string): string => cut(redactSecrets(text, secrets), longestBody)
  return {
    ...(status && { status }),
    ...(code && { code: code.slice(0, longestName) }),
    ...(type && { type: type.slice(0, longestName) }),
    ...(failedGeneration !== undefined && { failedGeneration: plain(failedGeneration) }),
    body: plain(body ?? message),
  }
}

function plainWords(message: string): string {
  // An HTML tag; some messages begin with a number in angle brackets: "<400> …".
  return /^\s*(?:\d{3} )?<[a-z!?]/i.test(message) ? 'it answered with a page of HTML.' : message
}

const requestIdHeaders = [
  'x-request-id',
  'request-id',
  'apim-request-id',
  'mistral-correlation-id',
  'x-kong-request-id',
] as const

/** The provider's id of this request, for its support. */
export function requestIdOf(headers: Headers | undefined): string | undefined {
  return requestIdHeaders.map((name) => headers?.get(name)).find(Boolean) ?? undefined
}

function cut(text: string, length: number): string {
  return text.length > length ? `${firstChars(text, length)}…` : text
}
