import { AgentKitError } from '@agentkit/core'

/**
 * The bearer tokens that an environment variable holds, each with the user it speaks for.
 *
 * Entries stand between commas: `token=user`, where the last `=` divides, or `token` alone, which may act for any
 * user (`*`). So that a token may end in `=`, one with nothing after it stands alone too.
 *
 * @throws AgentKitError `invalid-config` when the variable is not set or holds no token, or one token twice
 * @example
 * // AGENTKIT_TOKENS="s3cret-of-ada=ada,s3cret-of-the-app"
 * authTokens('AGENTKIT_TOKENS') // { 's3cret-of-ada': 'ada', 's3cret-of-the-app': '*' }
 */
export function authTokens(variable: string): Record<string, string> {
  const entries = (process.env[variable] ?? '').split(',').flatMap((entry) => {
    const trimmed = entry.trim()
    return trimmed === '' ? [] : [toEntry(trimmed)]
  })
  const tokens = new Map(entries)
  if (tokens.size === 0) throw invalid(variable, 'is not set or holds no token. Set it to token=user, or to token')
  if (tokens.size < entries.length) throw invalid(variable, 'holds a token twice. Give each token one user')
  return Object.fromEntries(tokens)
}

function toEntry(entry: string): [token: string, userId: string] {
  const divider = entry.lastIndexOf('=')
  const userId = entry.slice(divider + 1).trim()
  if (divider <= 0 || userId === '') return [entry, '*']
  return [entry.slice(0, divider).trim(), userId]
}

function invalid(variable: string, problem: string): AgentKitError {
  return new AgentKitError(
    'invalid-config',
    `The environment variable ${variable}, which \`auth_tokens_env\` names, ${problem}.`,
  )
}
