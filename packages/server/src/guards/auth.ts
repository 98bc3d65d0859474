import { hash, timingSafeEqual } from 'node:crypto'
import { ProblemError } from '../problem.ts'
import type { Guard } from '../server-env.ts'

/**
 * Who may call. `tokens` maps each bearer token to the user it speaks for, or to `*`, which may act for any user.
 * A function looks a token up itself and resolves to `undefined` when it does not know it.
 */
export type Auth =
  | { tokens: Readonly<Record<string, string>> }
  | ((token: string) => Promise<{ userId: string } | undefined>)

const bearer = /^bearer +([\x21-\x7e]+)$/i

/** Lets only bearers of a known token through, and remembers whom they speak for. */
export function authGuard(auth: Auth): Guard {
  const find = typeof auth === 'function' ? auth : tokenFinder(auth.tokens)
  return async function checkToken(context, next) {
    const token = bearer.exec(context.req.header('authorization') ?? '')?.[1]
    const owner = token === undefined ? undefined : await findOwner(find, token)
    if (owner === undefined) throw new ProblemError('unauthorized', { headers: { 'www-authenticate': 'Bearer' } })
    context.set('principal', owner)
    await next()
  }
}

type Find = (token: string) => Promise<{ userId: string } | undefined>

async function findOwner(find: Find, token: string): Promise<string | undefined> {
  try {
    return (await find(token))?.userId
  } catch (error) {
    throw new ProblemError('internal-error', { cause: error })
  }
}

/** Compares hashes, all of them and each in constant time, so that timing tells nothing of a token. */
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
