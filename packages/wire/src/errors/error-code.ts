import type { ErrorCode } from '@agentkit/core'
import { codesOfStatus } from '@agentkit/core/internal'
import type { Failure } from './failure.ts'

/** The error code for a failure: the provider's own code or type says more than the HTTP status. */
export function errorCode({ status, code = '', type = '', message }: Failure): ErrorCode {
  if (tooLargeForRate.test(message)) return 'context-overflow'
  const known = codes.get(code) ?? codes.get(type)
  // The status is less precise: an exhausted quota is 429, a context overflow 400.
  if (known && known !== 'bad-request') return known
  if (mayBeFiltered.has(status) && flagged.test(message)) return 'content-filter'
  if (status === 400 && badKey.test(message)) return 'auth'
  const isRate = status === 429 || rate.test(message)
  if (noCredit.test(message) && !rate.test(message)) return 'quota'
  if (overflow.test(message) && !isRate && !tooLongAnswer.test(message)) return 'context-overflow'
  if (status === 404 ? missingModel.test(message) : status === 400 && unknownModel.test(message)) {
    return 'model-not-found'
  }
  if (status === undefined) return known ?? 'provider-error'
  return statuses[status] ?? (status >= 400 && status < 500 ? 'bad-request' : 'provider-error')
}

/** Whether the same request may succeed later. */
export function isRetryable(code: ErrorCode, { status, headers }: Failure): boolean {
  if (retryableCodes.has(code)) return shouldRetry(headers) ?? true
  // An invalid request and a problem of the account stay so.
  if (code !== 'provider-error') return false
  return shouldRetry(headers) ?? (status === undefined || status >= 500 || mayPass.has(status))
}

const codes = new Map<string, ErrorCode>(
  Object.entries({
    context_length_exceeded: 'context-overflow',
    model_context_window_exceeded: 'context-overflow',
    exceed_context_size_error: 'context-overflow',
    request_too_large: 'context-overflow',
    insufficient_quota: 'quota',
    insufficient_balance: 'quota',
    exceeded_current_quota_error: 'quota',
    billing_hard_limit_reached: 'quota',
    billing_not_active: 'quota',
    billing_error: 'quota',
    budget_exceeded: 'quota',
    content_filter: 'content-filter',
    content_policy_violation: 'content-filter',
    ResponsibleAIPolicyViolation: 'content-filter',
    model_not_found: 'model-not-found',
    model_decommissioned: 'model-not-found',
    model_not_available: 'model-not-found',
    invalid_model: 'model-not-found',
    DeploymentNotFound: 'model-not-found',
    invalid_api_key: 'auth',
    authentication_error: 'auth',
    permission_error: 'auth',
    rate_limit_exceeded: 'rate-limit',
    rate_limit_error: 'rate-limit',
    rate_limited: 'rate-limit',
    service_tier_capacity_exceeded: 'overloaded',
    overloaded_error: 'overloaded',
    server_is_overloaded: 'overloaded',
    over_capacity: 'overloaded',
    slow_down: 'overloaded',
    tool_use_failed: 'invalid-tool-call',
    invalid_request_error: 'bad-request',
    invalid_prompt: 'bad-request',
  } as const),
)

/** 409, 425, and 499 of a server that has cancelled the request itself, may succeed later. */
const statuses: Readonly<Record<number, ErrorCode>> = {
  ...codesOfStatus,
  409: 'provider-error',
  413: 'context-overflow',
  425: 'provider-error',
  499: 'provider-error',
}

/** A rate, such as tokens per minute: more is allowed later, even where the message also names a quota. */
const rate = /rate.?limit|(?:per|a) (?:second|min|minute|hour|day)\b|per(?:minute|day)|retry in \d/i
/** One request with more tokens than a minute allows: waiting does not help, a shorter one does. */
const tooLargeForRate = /^request too large for .{1,500}\blimit \d+, requested \d/i
const noCredit =
  /credit balance is too low|exceeded your current quota|insufficient (?:account )?(?:balance|credits?|funds|quota)|(?:out of|no|not enough|used all available|n't have any) credits|budget has been exceeded|reached your specified (?:workspace )?api usage limits/i
const overflow =
  /context[ _]?(?:length|window|size|limit)|maximum context|maximum prompt length|maximum model length|prompt token count of \d+ exceeds|(?:prompt|input) is too long|`max_new_tokens` must be <=|input token count.*exceeds|range of input length|reduce the length of the messages|too large for model|model token limit/i
/** Groq's words for too many tokens of the answer, which name the context window: a shorter prompt does not help. */
const tooLongAnswer = /\bmax_(?:completion_)?tokens`? must be less than or equal to/i
const missingModel =
  /model.*(?:not found|not exist|not supported|not available|no access)|no such model|unknown model|no endpoints found for |^model: /i
const unknownModel =
  /invalid model\b|not a valid model|no such model|unknown model|model\b.*(?:not exist|decommissioned)/i
/** OpenAI's and Azure's words, OpenRouter's, xAI's and DeepSeek's. */
const flagged =
  /flagged as potentially violating|content (?:management |filtering )?policy|input was flagged|violates usage guidelines|content exists risk/i
/** The statuses of answers that a filter refuses; a failure within a stream has none. */
const mayBeFiltered: ReadonlySet<number | undefined> = new Set([undefined, 400, 403])
/** xAI refuses a key by 400. */
const badKey = /(?:incorrect|invalid) api key|api key not valid/i

/** Statuses below 500 of failures that may pass. */
const mayPass: ReadonlySet<number> = new Set([409, 425, 499])

const retryableCodes: ReadonlySet<ErrorCode> = new Set(['rate-limit', 'overloaded', 'timeout', 'network'])

/** The wait that a server asks for, in milliseconds: `retry-after-ms`, or `retry-after` in seconds or as a date. */
export function retryAfterMs(headers: Headers | undefined): number | undefined {
  const milliseconds = parse(headers?.get('retry-after-ms'))
  if (milliseconds !== undefined) return milliseconds
  const value = headers?.get('retry-after')
  const seconds = parse(value)
  if (seconds !== undefined) return seconds * 1000
  // Date.parse accepts "-1" too; HTTP dates contain the name of a day.
  const date = value && /[a-z]/i.test(value) ? Date.parse(value) : Number.NaN
  if (Number.isNaN(date)) return undefined
  // The clock of this machine may be wrong: the server says what time it is by its own.
  const sentAt = Date.parse(headers?.get('date') ?? '')
  return Math.max(0, date - (Number.isNaN(sentAt) ? Date.now() : sentAt))
}

/** The wait that a sentence names, as OpenAI's of a failure within a stream, which has no headers: "try again in 2.5s". */
export function waitInWords(message: string): number | undefined {
  const [, minutes = '0', time, unit] =
    /\btry again in (?:(\d{1,3})m)?(\d{1,9}(?:\.\d{1,9})?)(ms|s)\b/i.exec(message) ?? []
  if (time === undefined) return undefined
  return Math.ceil(Number(minutes) * 60_000 + Number(time) * (unit === 'ms' ? 1 : 1000))
}

/** Whether the server recommends a retry: the header `x-should-retry` of OpenAI and Anthropic. */
export function shouldRetry(headers: Headers | undefined): boolean | undefined {
  const value = headers?.get('x-should-retry')
  return value === 'true' ? true : value === 'false' ? false : undefined
}

function parse(value: string | null | undefined): number | undefined {
  const number = value?.trim() ? Number(value) : Number.NaN
  return number >= 0 && Number.isFinite(number) ? number : undefined
}
