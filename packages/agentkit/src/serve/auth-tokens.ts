import { AgentKitError } from '@agentkit/core'

/**
 * The bearer tokens that an environment variable holds, each with the user id it may act for.
 *
 * Entries stand between commas: `token=user`, where the last `=` divides, or `token` alone, which may act for any
 * user (`*`). So that a token may end in `=`, one with nothing after it stands alone too. A token has at least 16
 * characters.
 *
 * @param variable the variable's name, as `auth_tokens_env` has it
 * @throws AgentKitError `invalid-config` when the variable is not set, holds no token, one token twice, a token under
 * 16 characters, or JSON; the message never repeats a token
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

/** As the server has it, which is only loaded to serve. */
const minTokenLength = 16

function toEntry(entry: string): [token: string, userId: string] {
  const divider = entry.lastIndexOf('=')
  const userId = entry.slice(divider + 1).trim()
  if (divider <= 0 || userId === '') return [entry, '*']
  return [entry.slice(0, divider).trim(), userId]
}

function invalid(variable: string, problem: string): AgentKitError {
  // The configuration may hold the token itself in place of the variable's name.
  const name = /^[A-Z][A-Z0-9_]*$/.test(variable) ? `The environment variable ${variable}` : 'The environment variable'
  return new AgentKitError('invalid-config', `${name}, which \`auth_tokens_env\` names, ${problem}.`)
}
