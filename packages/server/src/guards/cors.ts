import { AgentKitError } from '@agentkit/core'
import { checkOptionNames } from '@agentkit/core/internal'

/** Other origins whose pages may call: `*`, exact origins such as `https://app.example.com`, or those with cookies. */
export type CorsOptions =
  | string
  | readonly string[]
  | { origins: string | readonly string[] /** Allows cookies and HTTP authentication. */; credentials?: boolean }

/** Other origins whose pages may call. */
export type CorsRule = { origins: '*' | ReadonlySet<string>; credentials: boolean }

/** @throws AgentKitError `invalid-config` for what is not an origin, and for every origin with credentials */
export function toCorsRule(cors: CorsOptions): CorsRule {
  const { origins, credentials = false } = toOrigins(cors)
  const list = typeof origins === 'string' ? [origins] : origins
  if (!Array.isArray(list)) throw invalid('`cors` is an origin, a list of origins, or { origins, credentials }.')
  if (list.includes('*')) {
    if (credentials) {
      throw invalid('`cors` allows every origin and credentials: any page could act as its visitor. Name the origins.')
    }
    return { origins: '*', credentials }
  }
  for (const origin of list) {
    if (!URL.canParse(origin) || new URL(origin).origin !== origin) {
      throw invalid(
        `"${origin}" in \`cors\` is not an origin. Write it like "https://app.example.com", without a path.`,
      )
    }
  }
  return { origins: new Set(list), credentials }
}

function toOrigins(cors: CorsOptions): { origins: string | readonly string[]; credentials?: boolean } {
  if (typeof cors === 'object' && cors !== null && 'origins' in cors) {
    checkOptionNames(cors, { origins: true, credentials: true }, { code: 'invalid-config', of: 'cors' })
    return cors
  }
  return { origins: cors }
}

function invalid(message: string): AgentKitError {
  return new AgentKitError('invalid-config', message)
}
