import type { ErrorCode, ErrorDetails, TimeoutPhase } from '../../data/errors.ts'
import { systemCode } from '../../data/system-error.ts'

/**
 * The code and the details for an error that is not an AgentKitError: of `fetch`, of Node or of an SDK. A Model may be
 * third-party code and throw any of them.
 */
export function classifyForeignError(thrown: unknown): { code: ErrorCode; details: ErrorDetails } {
  try {
    return classify(causesOf(thrown))
  } catch {
    // The traps of a proxy may throw.
    return { code: 'provider-error', details: {} }
  }
}

function classify(chain: readonly Error[]): { code: ErrorCode; details: ErrorDetails } {
  if (chain.some((error) => systemCode(error) === 'insufficient_quota')) return { code: 'quota', details: {} }
  const status = chain.map((error) => statusOf(error, 'status') ?? statusOf(error, 'statusCode')).find(Boolean)
  if (status !== undefined) return { code: codesOfStatus[status] ?? 'provider-error', details: { status } }
  if (chain.some(({ name }) => name === 'TimeoutError')) return { code: 'timeout', details: { phase: 'first-byte' } }
  const failure = connectionFailure(chain)
  if (failure === undefined) return { code: 'provider-error', details: {} }
  const { code, phase, reason } = failure
  return { code, details: { ...(phase && { phase }), ...(reason === 'certificate' && { retryable: false }) } }
}

/** The HTTP statuses with a more specific code than `provider-error`. */
export const codesOfStatus: Readonly<Record<number, ErrorCode>> = {
  401: 'auth',
  402: 'quota',
  403: 'auth',
  408: 'timeout',
  429: 'rate-limit',
  503: 'overloaded',
  529: 'overloaded',
}

/** A failed connection, or a timeout of Node or of an SDK. */
export type ConnectionFailure = {
  code: 'network' | 'timeout'
  phase?: TimeoutPhase
  /** The code of Node or OpenSSL: `ECONNREFUSED`. */
  systemCode?: string
  /** The certificate is not trusted, or the URL is wrong. */
  reason?: 'certificate' | 'address'
}

/** How the connection failed, from the errors of {@link causesOf}; `undefined` for any other failure. */
export function connectionFailure(chain: readonly Error[]): ConnectionFailure | undefined {
  const marks = chain.flatMap((error) => [error.name, error.constructor.name, systemCode(error) ?? ''])
  const code = chain.map(systemCode).find(Boolean)
  const found = code === undefined ? {} : { systemCode: code }
  // The keys of `timeouts` are phases.
  for (const [phase, names] of Object.entries(timeouts)) {
    if (marks.some((mark) => names.includes(mark))) return { code: 'timeout', phase: phase as TimeoutPhase, ...found }
  }
  if (
    !marks.some((mark) => connectionMarks.test(mark)) &&
    !chain.some(({ message }) => brokenConnection.test(message))
  ) {
    return undefined
  }
  if (certificates.test(code ?? '')) return { code: 'network', reason: 'certificate', ...found }
  return { code: 'network', ...(wrongAddress.test(code ?? '') && { reason: 'address' }), ...found }
}

const timeouts = {
  'first-byte': ['APIConnectionTimeoutError', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_CONNECT_TIMEOUT'],
  idle: ['UND_ERR_BODY_TIMEOUT'],
} satisfies Partial<Record<TimeoutPhase, string[]>>

const connectionMarks =
  /^(?:UND_ERR_|ECONN|ENOTFOUND|EAI_AGAIN|EPIPE|ETIMEDOUT|EHOST|ENET|ERR_TLS|ERR_SSL|ERR_HTTP2|CERT_|HPE_|Z_(?:BUF|DATA)|APIConnectionError$)/
const brokenConnection = /^(?:terminated|fetch failed)$|premature close|socket hang up|other side closed/i
const certificates = /CERT|UNABLE_TO_(?:VERIFY|GET)/
const wrongAddress = /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN)$/

/** An error and its causes, at most five. */
export function causesOf(thrown: unknown): Error[] {
  const chain: Error[] = []
  for (let error = thrown; error instanceof Error && chain.length < 5; error = error.cause) chain.push(error)
  return chain
}

function statusOf(error: Error, name: string): number | undefined {
  // Read only if present.
  const value: unknown = name in error ? error[name as keyof Error] : undefined
  return typeof value === 'number' && value >= 400 && value < 600 ? value : undefined
}
