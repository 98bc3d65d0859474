import { hash, timingSafeEqual } from 'node:crypto'
import { invalidConfig } from '@agentkit/core/internal'
import { loggedRequest, problemEntry } from '../answer/log-problem.ts'
import { ProblemError } from '../answer/problem.ts'
import { isId } from '../request/fields.ts'
import { describeError, type LogEntry } from '../util/log.ts'
import type { Guard, ServerContext } from '../util/server-env.ts'

/**
 * The callers that the server accepts. `tokens` maps each bearer token, of at least 16 characters, to the user id it
 * may act for, or to `*`, which may act for any user. A function looks up a token, within `limits.headersMs`, and
 * resolves to `undefined` for an unknown one; any other result without a user id is logged, and the request gets 401.
 * `mayApprove` allows the user to decide on approvals where `approvals` is `"service"`.
 *
 * @example
 * const auth: Auth = { tokens: { '5f3c0a9e7d1b48a6': 'ada', 'd92e6b1f40c7835a': '*' } }
 */
export type Auth =
  | { tokens: Readonly<Record<string, string>> }
  | ((token: string) => Promise<{ userId: string; mayApprove?: boolean } | undefined>)

const minTokenLength = 16
const sendable = /^[\x21-\x7e]+$/
const bearer = /^bearer +([\x21-\x7e]+)$/i
/** Parameters by which clients of other servers send a token. */
const tokenParameters = /^(?:(?:access|auth|bearer)_?token|token|authorization|api_?key)$/i

/** @throws AgentKitError `invalid-config` for tokens or users that cannot be used; never repeats a token */
export function checkAuth(auth: Auth): void {
  if (typeof auth === 'function') return
  const tokens: unknown = auth?.tokens
  if (typeof tokens !== 'object' || tokens === null) {
    throw invalidConfig('`auth` is { tokens: { [token]: userId } } or a function that looks up a token.')
  }
  // The keys "0", "1", … of a list would be the tokens.
  if (Array.isArray(tokens)) {
    throw invalidConfig(
      '`auth.tokens` is a list. Map each token to a user id, or to "*": { tokens: { [token]: userId } }.',
    )
  }
  // The message does not name the keys, which may be tokens.
  if (Object.keys(auth).length > 1) throw invalidConfig('`auth` has one key, `tokens`. Remove the others.')
  const entries: [token: string, userId: unknown][] = Object.entries(tokens)
  if (entries.length === 0) throw invalidConfig('`auth.tokens` is empty, so no request would be accepted. Add a token.')
  for (const [token, userId] of entries) {
    if (token === '') throw invalidConfig('A token in `auth.tokens` is empty. Set the variable that it is read from.')
    if (!sendable.test(token)) {
      throw invalidConfig('A token in `auth.tokens` has spaces, line breaks or non-ASCII characters. Trim it.')
    }
    if (token.length < minTokenLength) {
      throw invalidConfig(
        `A token in \`auth.tokens\` has ${token.length} characters; at least ${minTokenLength} are required. ` +
          'Generate one with "openssl rand -hex 32".',
      )
    }
    if (!isUserId(userId)) {
      throw invalidConfig(
        'Each token in `auth.tokens` needs the user id that it may act for, or "*": ' +
          '1 to 128 characters, none of them a control character.',
      )
    }
  }
}

type AuthGuardOptions = {
  /** How long the lookup of a token may take, in milliseconds. */
  timeoutMs: number
  log: (entry: LogEntry) => void
  /** Lets requests pass that send no token at all. */
  isPublic?: boolean
}

/** Refuses requests without a known token or with one in the query, and sets the user id that the token may act for. */
export function authGuard(auth: Auth, { timeoutMs, log, isPublic = false }: AuthGuardOptions): Guard {
  const find: Find = typeof auth === 'function' ? auth : tokenFinder(auth.tokens)
  return async function checkToken(context, next) {
    const header = context.req.header('authorization')
    if (isPublic && header === undefined) return next()
    // Addresses are logged and shared. A valid header beside it would let the client leak its token unnoticed.
    const token = hasTokenInQuery(context) ? undefined : bearer.exec(header ?? '')?.[1]
    const found = token === undefined ? undefined : await findOwner(find, token, timeoutMs)
    const owner = toOwner(found)
    if (owner === undefined) {
      const problem = new ProblemError('unauthorized', { headers: { 'www-authenticate': 'Bearer' } })
      // JavaScript functions also return `null` for an unknown token. Anything else is an error in the function.
      if (found !== undefined && found !== null) {
        log({
          ...problemEntry(problem, loggedRequest(context)),
          message: `${fault(found)} Return { userId }, or undefined.`,
        })
      }
      throw problem
    }
    context.set('principal', owner.userId)
    context.set('mayApprove', owner.mayApprove)
    await next()
  }
}

function hasTokenInQuery({ req }: ServerContext): boolean {
  if (!req.url.includes('?')) return false
  for (const name of new URL(req.url).searchParams.keys()) if (tokenParameters.test(name)) return true
  return false
}

/** The function of a user may resolve to something other than its type. */
type Find = (token: string) => Promise<unknown>

async function findOwner(find: Find, token: string, timeoutMs: number): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    const problem = new ProblemError('timeout', { detail: 'The token could not be verified in time.' })
    timer = setTimeout(() => reject(problem), timeoutMs)
  })
  try {
    return await Promise.race([find(token), late])
  } catch (error) {
    if (error instanceof ProblemError) throw error
    // The message often quotes the token.
    throw new ProblemError('internal-error', { cause: describeError(error, [token]) })
  } finally {
    clearTimeout(timer)
  }
}

type Owner = { userId: string; mayApprove: boolean }

function toOwner(found: unknown): Owner | undefined {
  if (typeof found !== 'object' || found === null || !('userId' in found) || !isUserId(found.userId)) return undefined
  const mayApprove = mayApproveOf(found)
  return typeof mayApprove === 'boolean' ? { userId: found.userId, mayApprove } : undefined
}

function mayApproveOf(found: object): unknown {
  return 'mayApprove' in found && found.mayApprove !== undefined ? found.mayApprove : false
}

/** Whether a request could have this user id: otherwise its token would always get 404. */
function isUserId(userId: unknown): userId is string {
  return typeof userId === 'string' && userId.trim() !== '' && isId(userId)
}

/** The message names types only, because values may be secrets. */
function fault(found: unknown): string {
  if (typeof found !== 'object' || found === null) return `The \`auth\` function returned a ${typeof found}.`
  const userId = 'userId' in found ? found.userId : undefined
  if (isUserId(userId))
    return `The \`auth\` function returned a \`mayApprove\` that is a ${typeof mayApproveOf(found)}.`
  const kind = userId === null ? 'null' : typeof userId === 'string' ? stringFault(userId) : typeof userId
  return `The \`auth\` function returned a \`userId\` that is not a user id (${kind}).`
}

function stringFault(userId: string): string {
  return userId.trim() === '' ? 'an empty string' : 'a string of more than 128 characters or with control characters'
}

/** Compares the hashes of all tokens, each in constant time, so that timing reveals nothing about a token. */
function tokenFinder(tokens: Readonly<Record<string, string>>): Find {
  const known = Object.entries(tokens).map(([token, userId]) => ({ digest: sha256(token), userId }))
  return async (token) => {
    const digest = sha256(token)
    let found: { userId: string } | undefined
    for (const candidate of known) if (timingSafeEqual(candidate.digest, digest)) found = candidate
    return found && { userId: found.userId }
  }
}

function sha256(text: string): Buffer {
  return hash('sha256', text, 'buffer')
}
