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
  /\b(?:sk[-_]|[pr]k-|[pr]k_(?:live|test)_)[A-Za-z0-9_-]{8,}/g,
  /\b(?:gsk_|gh[oprsu]_|github_pat_|glpat-|xox[abeprs]-|xapp-\d-|AKIA|AIza|ya29\.|pcsk_)[A-Za-z0-9_-]{8,}/g,
  /\bASIA[A-Z0-9]{16}\b/g,
  /\b(?:xai-|hf_|pplx-|r8_|npm_)[A-Za-z0-9]{20,}/g,
  /\b(?:nvapi-|tvly-)[A-Za-z0-9_-]{20,}/g,
  /\bBearer\s+[A-Za-z0-9._~+/=-]{8,}/gi,
  /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*/g,
]

/**
 * The password in an address, such as that of a database: `postgres://user:password@host`. A port at the end of an address
 * in quotes or brackets is none: in JSON, an email address may follow without a space.
 */
const passwordInAddress = /(:\/\/[^\s/?#:@]*:)(?!\d{1,5}["'<>)\]}])[^\s/?#]+(?=@)/g

/** A private key in PEM, also inside JSON, where its line breaks are `\\n`; its end may be cut. */
const privateKey =
  /(-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----)(?:\s|\\[nr]){0,8}(?:(?:Proc-Type|DEK-Info):[^\n\\]{0,200}(?:\s|\\[nr]){0,8}){0,2}[A-Za-z0-9+/]{16,}[A-Za-z0-9+/=\s\\]*/g

/** The credentials of HTTP's Basic scheme. The same word begins prose. */
const basic = /\b(Basic\s{1,4})([A-Za-z0-9+/]{4,}={0,2})/gi

/** A value after a name of a secret, in a query, a header, JSON, or a connection string. */
const named =
  /((password|passwd|pwd|secret|(?:api|access|secret|private|account)[-_]?key|(?:access|auth|refresh|id|session|security)[-_]?token|(?<![\w-])token|[?&](?:key|sig|auth|[\w-]{0,30}(?:signature|credential)))["'\\]{0,2}\s?[:=]\s?["'\\]{0,2})([^\s"'\\`,;&()<>[\]{}|]{6,})/gi

/**
 * Removes secrets from a text: the values of environment variables with secret names, strings that look like a key or
 * token, private keys, passwords in addresses, values with the name of a secret (`api_key=…`), and the given `secrets`.
 */
export function redactSecrets(text: string, secrets: readonly string[] = []): string {
  let clean = text
  // Longest first: when one secret begins another, no rest of the longer one must remain.
  const known = [...secrets, ...environmentSecrets()].sort((a, b) => b.length - a.length)
  for (const secret of known) {
    if (secret.length >= 6) clean = clean.replaceAll(secret, '[redacted]')
  }
  for (const shape of secretShapes) clean = clean.replace(shape, '[redacted]')
  return clean
    .replace(privateKey, '$1[redacted]')
    .replace(basic, (whole, scheme: string, value: string) => (isBasic(value) ? `${scheme}[redacted]` : whole))
    .replace(named, (whole, head: string, name: string, value: string, at: number, all: string) =>
      isSecretValue(name, value, all.charAt(at - 1), all.charAt(at + whole.length)) ? `${head}[redacted]` : whole,
    )
    .replace(passwordInAddress, '$1[redacted]')
}

/** A name and a password with a colon between them, in base64. */
function isBasic(value: string): boolean {
  return value.length % 4 === 0 && /^[\x20-\x39\x3b-\x7e]*:[\x20-\x7e]*$/.test(atob(value))
}

/** Secrets have digits; words, types, calls (`token = next()`) and names of variables (`$TOKEN`) mostly none. */
function isSecretValue(name: string, value: string, before: string, after: string): boolean {
  // The shell's name of its folder.
  if (/^pwd$/i.test(name) && /^(?:~?\/|[A-Za-z]:[\\/])/.test(value)) return false
  const least = /^pass|^pwd/i.test(name) ? 6 : /^token$/i.test(name) && !/[?&]/.test(before) ? 16 : 8
  return value.length >= least && /\d/.test(value) && !value.startsWith('$') && after !== '(' && after !== '['
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
