import {
  AgentKitError,
  type ErrorCode,
  type ErrorInfo,
  isAgentKitError,
  messageOf,
  toErrorInfo,
} from '../../data/errors.ts'

/** Names of environment variables whose values are secrets. */
const secretName = /KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL/i

/** The patterns of well-known keys and tokens. */
const secretShapes: readonly RegExp[] = [
  /\b(?:sk|pk|rk)[-_][A-Za-z0-9_-]{8,}/g,
  /\b(?:gsk_|ghp_|gho_|github_pat_|glpat-|xox[abprs]-|AKIA|AIza|pcsk_)[A-Za-z0-9_-]{8,}/g,
  /\bBearer\s+[A-Za-z0-9._~+/=-]{8,}/gi,
  /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*/g,
]

/**
 * The password in an address, such as that of a database: `postgres://user:password@host`. A port at the end of an address
 * in quotes or brackets is none: in JSON, an email address may follow without a space.
 */
const passwordInAddress = /(:\/\/[^\s/?#:@]*:)(?!\d{1,5}["'<>)\]}])[^\s/?#]+(?=@)/g

/**
 * Removes secrets from a text: the values of environment variables with secret names, strings that look like a key or
 * token, passwords in addresses, and the given `secrets`.
 */
export function redactSecrets(text: string, secrets: readonly string[] = []): string {
  let clean = text
  // Longest first: when one secret begins another, no rest of the longer one must remain.
  const known = [...secrets, ...environmentSecrets()].sort((a, b) => b.length - a.length)
  for (const secret of known) {
    if (secret.length >= 6) clean = clean.replaceAll(secret, '[redacted]')
  }
  for (const shape of secretShapes) clean = clean.replace(shape, '[redacted]')
  return clean.replace(passwordInAddress, '$1[redacted]')
}

/**
 * What a user's code threw: an AgentKitError unchanged, any other value as the cause of one, with its redacted message.
 * @param what begins the message: ``The hook `input` failed:``
 */
export function redactedError(thrown: unknown, code: ErrorCode, what: string, otherwise = 'it threw.'): AgentKitError {
  if (isAgentKitError(thrown)) return thrown
  return new AgentKitError(code, `${what} ${redactSecrets(messageOf(thrown)) || otherwise}`, { cause: thrown })
}

/** An error as events and stores hold it: a model may put the key of its provider into an AgentKitError of its own. */
export function redactedInfo(error: AgentKitError): ErrorInfo {
  const info = toErrorInfo(error)
  return { ...info, message: redactSecrets(info.message) }
}

function environmentSecrets(): string[] {
  const environment: Record<string, string | undefined> = globalThis.process?.env ?? {}
  return Object.entries(environment).flatMap(([name, value]) => (value && secretName.test(name) ? [value] : []))
}
