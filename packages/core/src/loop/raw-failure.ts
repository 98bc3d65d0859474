import type { ErrorCode, ErrorDetails } from '../data/errors.ts'

/**
 * What is to be made of a failure that is no AgentKitError: a Model is anybody's code, and may let the errors of `fetch`
 * or of an SDK through.
 */
export function rawFailure(thrown: unknown): { code: ErrorCode; details: ErrorDetails } {
  try {
    return failureOf(causesOf(thrown))
  } catch {
    // A proxy whose traps throw.
    return { code: 'provider-error', details: {} }
  }
}

function failureOf(chain: readonly Error[]): { code: ErrorCode; details: ErrorDetails } {
  const status = chain.map((error) => numberOf(error, 'status') ?? numberOf(error, 'statusCode')).find(Boolean)
  if (chain.some((error) => 'code' in error && error.code === 'insufficient_quota'))
    return { code: 'quota', details: {} }
  if (status !== undefined) return { code: codeOfStatus[status] ?? 'provider-error', details: { status } }
  if (chain.some(({ name }) => name === 'TimeoutError')) return { code: 'timeout', details: { phase: 'first-byte' } }
  return { code: chain.some(isBrokenConnection) ? 'network' : 'provider-error', details: {} }
}

/** Where a status says more than that the provider failed. */
const codeOfStatus: Record<number, ErrorCode> = {
  401: 'auth',
  402: 'quota',
  403: 'auth',
  408: 'timeout',
  429: 'rate-limit',
  503: 'overloaded',
  529: 'overloaded',
}

const networkCode = /^(?:UND_ERR_|ECONN|ENOTFOUND|EAI_AGAIN|EPIPE|ETIMEDOUT|EHOST|ENET|ERR_TLS|ERR_SSL)/
const networkWords = /^(?:terminated|fetch failed)$|premature close|socket hang up|other side closed/i

function isBrokenConnection(error: Error): boolean {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  return networkCode.test(code) || networkWords.test(error.message)
}

function numberOf(error: Error, name: string): number | undefined {
  // Only looked at where it is there.
  const value: unknown = name in error ? error[name as keyof Error] : undefined
  return typeof value === 'number' && value >= 400 && value < 600 ? value : undefined
}

function causesOf(thrown: unknown): Error[] {
  const chain: Error[] = []
  for (let link = thrown; link instanceof Error && chain.length < 5; link = link.cause) chain.push(link)
  return chain
}
