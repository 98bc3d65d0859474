import type { AgentKitError } from '@agentkit/core'
import { invalidConfig } from '@agentkit/core/internal'

/**
 * The bearer tokens of an environment variable, each with the user id that it may act for.
 *
 * Entries are separated by commas: `token=user`, split at the last `=`, or `token` alone, which may act for any user
 * (`*`). An entry that ends in `=` is a token alone, because tokens may end in `=`. A token has at least 16 characters.
 *
 * @param variable the name of the variable, from `auth_tokens_env`
 * @throws AgentKitError `invalid-config` when the variable is not set, holds no token, one token twice, a token of less
 * than 16 characters, or JSON; the message never contains a token
 * @example
 * // AGENTKIT_TOKENS="5f3c0a9e7d1b48a6=ada,d92e6b1f40c7835a"
 * authTokens('AGENTKIT_TOKENS') // { '5f3c0a9e7d1b48a6': 'ada', d92e6b1f40c7835a: '*' }
 */
export function authTokens(variable: string): Record<string, string> {
  const value = process.env[variable]?.trim() ?? ''
  if (/^[[{]/.test(value)) throw invalid(variable, 'holds JSON. Set it to token=user, or to token')
  const entries = value.split(',').flatMap((entry) => {
    const trimmed = entry.trim()
    return trimmed === '' ? [] : [toEntry(trimmed)]
  })
  const tokens = new Map(entries)
  if (tokens.size === 0) throw invalid(variable, 'is not set or holds no token. Set it to token=user, or to token')
  if (tokens.size < entries.length) throw invalid(variable, 'holds a token twice. Give each token one user')
  const short = [...tokens.keys()].find((token) => token.length < minTokenLength)
  if (short !== undefined) {
    const problem = `holds a token of ${short.length} characters; at least ${minTokenLength} are needed`
    throw invalid(variable, `${problem}. Make one with "openssl rand -hex 32"`)
  }
  return Object.fromEntries(tokens)
}

/** The server's limit. It is repeated here because the server package is loaded only to serve. */
const minTokenLength = 16

function toEntry(entry: string): [token: string, userId: string] {
  const divider = entry.lastIndexOf('=')
  const userId = entry.slice(divider + 1).trim()
  if (divider <= 0 || userId === '') return [entry, '*']
  return [entry.slice(0, divider).trim(), userId]
}

function invalid(variable: string, problem: string): AgentKitError {
  // `auth_tokens_env` may hold a token by mistake, which must not be printed.
  const name = /^[A-Z][A-Z0-9_]*$/.test(variable) ? `The environment variable ${variable}` : 'The environment variable'
  return invalidConfig(`${name}, which \`auth_tokens_env\` names, ${problem}.`)
}
