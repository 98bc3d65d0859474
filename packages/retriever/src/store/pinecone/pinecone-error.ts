import { AgentKitError, type ErrorCode, type ErrorDetails, isAgentKitError } from '@agentkit/core'
import { causesOf, firstChars, messageOf, redactSecrets, systemCode } from '@agentkit/core/internal'

/** An HTTP error response. */
export type Refusal = { status: number; headers: Headers; body: string }

/** The error for a response of Pinecone. */
export function refusalError({ status, headers, body }: Refusal, apiKey: string): AgentKitError {
  const words = wordsOf(body)
  const code = codeOf(status, words)
  const details: ErrorDetails = { provider: 'pinecone', status, cause: { status, body: clean(body, apiKey, 4096) } }
  const wait = retryAfterMs(headers)
  if (wait !== undefined) details.retryAfterMs = wait
  const requestId = headers.get('x-pinecone-request-id')
  if (requestId !== null) details.requestId = requestId
  const said = clean(words, apiKey, 600) || 'It did not say why.'
  const fix = fixes[code]
  const sentences = fix === undefined ? said : `${said.replace(/[^.!?…]$/, '$&.')} ${fix}`
  return new AgentKitError(code, `Pinecone ${verbs[code] ?? 'failed'} (${status}): ${sentences}`, details)
}

const verbs: Partial<Record<ErrorCode, string>> = {
  auth: 'refused the key',
  'rate-limit': 'limits the rate of requests',
  quota: 'has no quota left',
  overloaded: 'is overloaded',
  'not-found': 'does not know what was asked for',
  'bad-request': 'refused the request',
}

const fixes: Partial<Record<ErrorCode, string>> = {
  auth: 'Check PINECONE_API_KEY.',
  quota: 'See the usage in its console.',
}

function codeOf(status: number, words: string): ErrorCode {
  switch (status) {
    case 401:
      return 'auth'
    case 402:
      return 'quota'
    case 403:
      return /quota|limit|max/i.test(words) ? 'quota' : 'auth'
    case 404:
      return 'not-found'
    case 429:
      // A monthly quota does not recover in seconds.
      return /month|quota/i.test(words) ? 'quota' : 'rate-limit'
    case 503:
      return 'overloaded'
    default:
      return status >= 400 && status < 500 && status !== 408 ? 'bad-request' : 'provider-error'
  }
}

/** The error of a request without a response. */
export function connectionError(error: unknown, apiKey: string): AgentKitError {
  const chain = causesOf(error)
  const code = chain.map(systemCode).find(Boolean)
  const why = code ?? clean(chain.map(messageOf).join(': '), apiKey, 600)
  const fix = /ECONNREFUSED|ENOTFOUND|EAI_AGAIN/.test(code ?? '') ? ' Check the network, and `controllerHostUrl`.' : ''
  return new AgentKitError('network', `The connection to Pinecone failed (${why}).${fix}`, { provider: 'pinecone' })
}

/** An error of the SDK as an AgentKitError: the failure that our fetch put into it, or the SDK's own refusal. */
export function toPineconeError(error: unknown, apiKey: string): AgentKitError {
  const chain = causesOf(error)
  const ours = chain.find(isAgentKitError)
  if (ours) return ours
  const garbled = chain.find((link) => link instanceof SyntaxError)
  const words = clean(messageOf(garbled ?? error), apiKey, 600)
  const message = garbled
    ? `Pinecone's answer cannot be read: ${words}`
    : `Pinecone's SDK refused the request: ${words}`
  return new AgentKitError('provider-error', message, { provider: 'pinecone', retryable: garbled !== undefined })
}

/** Bodies are `{ message }` of the data plane, `{ error: { message } }` of the control plane, or plain text. */
function wordsOf(body: string): string {
  try {
    const { message, error } = JSON.parse(body) as { message?: unknown; error?: { message?: unknown } }
    const words = error?.message ?? message
    return typeof words === 'string' ? words : body
  } catch {
    return /^\s*<[a-z!?]/i.test(body) ? 'It answered with a page of HTML.' : body
  }
}

function clean(text: string, apiKey: string, longest: number): string {
  const plain = redactSecrets(text, [apiKey]).trim()
  return plain.length > longest ? `${firstChars(plain, longest)}…` : plain
}

function retryAfterMs(headers: Headers): number | undefined {
  const header = headers.get('retry-after')
  if (!header) return undefined
  const seconds = Number(header)
  // The clock of this machine may be wrong: the server says what time it is by its own.
  const sentAt = Date.parse(headers.get('date') ?? '') || Date.now()
  const wait = Number.isNaN(seconds) ? Date.parse(header) - sentAt : seconds * 1000
  return Number.isNaN(wait) ? undefined : Math.max(0, wait)
}
