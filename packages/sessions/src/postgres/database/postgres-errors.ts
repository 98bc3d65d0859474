import { AgentKitError, isAgentKitError } from '@agentkit/core'

/** SQLSTATEs after which the same statement may succeed on another connection, or a little later. */
const transientStates = new Set([
  '57P01', // the server stops
  '57P02', // it has crashed
  '57P03', // it starts
  '57014', // a statement took too long, as one that waited for a lock
  '53300', // too many connections
  '53400',
  '25006', // read-only: a standby that is not promoted yet
  '25P03', // a transaction was idle for too long, as in a frozen process
  '40001', // serialization
  '40P01', // deadlock
  '55P03', // a lock is not available
])
const transientCodes =
  /^(?:ECONNREFUSED|ECONNRESET|ECONNABORTED|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN|ENOTFOUND|08\w{3})$/
/** The driver's own errors have no code. */
const transientWords =
  /Connection terminated|connection error and is not queryable|Client was closed|timeout exceeded|Query read timeout|Connection ended/i

/** Whether a retry may succeed: the connection was lost, or the server is about to be there again. */
export function isTransient(error: unknown): boolean {
  const { code = '', message = '', severity, constraint } = toFailure(error)
  // The session of a new run was deleted in the meantime: the next try creates it again.
  if (code === '23503') return constraint === 'runs_session_fkey'
  // The code means a violation of the protocol. A pooler that ends the connection has the same code, as FATAL.
  if (code === '08P01') return severity === 'FATAL'
  return transientStates.has(code) || transientCodes.test(code) || transientWords.test(message)
}

/** Whether the connection can be used for the next statement. */
export function isConnectionUsable(error: unknown): boolean {
  const { code = '' } = toFailure(error)
  // An SQLSTATE, and none of those with which the server ends the connection.
  return isAgentKitError(error) || (/^[0-9P]\w{4}$/.test(code) && !/^(?:57P|08|28|53300|25P03)/.test(code))
}

/** Whether a named statement is unknown or exists already: a pooler has changed the server's connection. */
export function isStatementLost(error: unknown): boolean {
  const { code } = toFailure(error)
  return code === '26000' || code === '42P05'
}

/** Converts a failure of the database to `storage` or `invalid-config`, with the fix. */
export function toPostgresError(error: unknown, { place, schema }: { place: string; schema: string }): AgentKitError {
  if (isAgentKitError(error)) return error
  const { code = '', message = '' } = toFailure(error)
  const retryable = isTransient(error)
  const fail = (kind: 'storage' | 'invalid-config', text: string): AgentKitError =>
    new AgentKitError(kind, text, { cause: error, retryable })
  if (code === '42501') {
    const grants = [`SCHEMA "${schema}"`, `ALL TABLES IN SCHEMA "${schema}"`, `ALL SEQUENCES IN SCHEMA "${schema}"`]
    const fix = `Run as an owner of the database: CREATE SCHEMA IF NOT EXISTS "${schema}"; ${grants.map((what) => `GRANT ALL ON ${what} TO <its user>;`).join(' ')}`
    return fail('invalid-config', `The user of ${place} may not create or use the schema "${schema}". ${fix}`)
  }
  if (code === '25006') return fail('invalid-config', readOnlyWords(place))
  if (code === '28P01' || code === '28000') {
    return fail('storage', `Postgres refuses the user or the password of ${place}. Correct them in the URL.`)
  }
  if (code === '3D000') {
    return fail(
      'storage',
      `The database of ${place} does not exist. Create it with CREATE DATABASE, or correct the URL.`,
    )
  }
  if (/^(?:ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)$/.test(code)) {
    return fail(
      'storage',
      `Postgres at ${place} is not reachable (${code}). Start it, or correct the host and the port.`,
    )
  }
  if (/SSL|TLS|certificate|self.signed/i.test(`${message} ${code}`)) {
    const fix = 'Set `sslmode` in the URL to what the server has, or give its certificate by `sslrootcert`.'
    return fail('storage', `No TLS connection to ${place}: ${message}. ${fix}`)
  }
  if (code === '53100') return fail('storage', `The disk of Postgres at ${place} is full. Free space on it.`)
  if (code === '53300') {
    return fail(
      'storage',
      `Postgres at ${place} accepts no more connections. Raise max_connections, or lower \`poolSize\`.`,
    )
  }
  return fail('storage', `Postgres at ${place} failed: ${message || String(error)}`)
}

export function readOnlyWords(place: string): string {
  return (
    `Postgres at ${place} is a read-only replica, or its database is read-only. Connect to the primary; if it is one, ` +
    'run: ALTER DATABASE <its database> SET default_transaction_read_only = off;'
  )
}

/** The host and the database of a URL, without its password. */
export function placeOf(connectionString: string): string {
  try {
    const { protocol, username, host, pathname } = new URL(connectionString)
    return `${protocol}//${username && `${username}@`}${host}${pathname}`
  } catch {
    return 'the given URL'
  }
}

function toFailure(error: unknown): { code?: string; message?: string; severity?: string; constraint?: string } {
  // All connections of a host may have failed, each with its own error.
  if (error instanceof AggregateError && error.errors.length > 0) return toFailure(error.errors[0])
  return typeof error === 'object' && error !== null ? error : { message: String(error) }
}
