import { setTimeout as sleep } from 'node:timers/promises'
import { AgentKitError, isAgentKitError } from '@agentkit/core'
import { messageOf } from '@agentkit/core/internal'
import { schema } from './settings.ts'

/** How long a call is tried again while Postgres is not reachable: longer than a restart takes. */
const retryMs = 20_000
/** The same before the first connection: a wrong URL is reported soon. */
const firstRetryMs = 3_000

/**
 * Transient SQLSTATEs: the server stops or starts, has no free connection, is not promoted yet, or ended a deadlock.
 */
const transientStates = /^(08...|57P0[123]|53300|25006|40001|40P01)$/
const transientCodes = /^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN)$/
const transientWords = /Connection terminated|not queryable|timeout exceeded|Query read timeout/i

/** Tries again while the connection is lost. The work must be safe to repeat. */
export async function retrying<T>(work: () => Promise<T>, { isFirst }: { isFirst: boolean }): Promise<T> {
  const deadline = performance.now() + (isFirst ? firstRetryMs : retryMs)
  for (let wait = 50; ; wait = Math.min(1_000, wait * 2)) {
    try {
      return await work()
    } catch (error) {
      if (!isTransient(error) || performance.now() >= deadline) throw error
    }
    // The timer keeps the process alive: the caller waits for an answer.
    await sleep(wait * (0.5 + Math.random() / 2))
  }
}

function isTransient(error: unknown): boolean {
  const { code = '', message = '' } = firstFailure(error)
  return transientStates.test(code) || transientCodes.test(code) || transientWords.test(message)
}

/** The error with its fix. It has no password: the URL is shown without it. */
export function toStorageError(error: unknown, connectionString: string): AgentKitError {
  if (isAgentKitError(error)) return error
  const { code = '', message = '' } = firstFailure(error)
  const place = placeOf(connectionString)
  const details = { cause: error, retryable: isTransient(error) }
  if (isNotPermitted(error)) {
    const grants = [`SCHEMA ${schema}`, `ALL TABLES IN SCHEMA ${schema}`, `ALL SEQUENCES IN SCHEMA ${schema}`]
    const fix = `Run as an owner of the database: CREATE SCHEMA IF NOT EXISTS ${schema}; ${grants.map((what) => `GRANT ALL ON ${what} TO <its user>;`).join(' ')}`
    return new AgentKitError(
      'invalid-config',
      `The user of ${place} may not create or use the schema ${schema}. ${fix}`,
      details,
    )
  }
  if (code === '25006') {
    return new AgentKitError(
      'invalid-config',
      `Postgres at ${place} is a read-only replica. Connect to the primary.`,
      details,
    )
  }
  const fixes: Readonly<Record<string, string>> = {
    '28P01': 'Correct the user or the password in the URL.',
    '28000': 'Correct the user or the password in the URL.',
    '3D000': 'Create the database, or correct the URL.',
    '53300': 'Raise max_connections of the server.',
    ECONNREFUSED: 'Start Postgres, or correct the host and the port of the URL.',
    ENOTFOUND: 'Correct the host of the URL.',
  }
  const fix =
    fixes[code] ?? (/SSL|TLS|certificate/i.test(message) ? 'Set sslmode in the URL to what the server has.' : '')
  const what = `The queue in Postgres at ${place} failed: ${message || code || String(error)}.`
  return new AgentKitError('storage', fix ? `${what} ${fix}` : what, details)
}

export function isNotPermitted(error: unknown): boolean {
  return firstFailure(error).code === '42501'
}

function placeOf(connectionString: string): string {
  try {
    const { protocol, username, host, pathname } = new URL(connectionString)
    return `${protocol}//${username && `${username}@`}${host}${pathname}`
  } catch {
    return 'the given URL'
  }
}

function firstFailure(error: unknown): { code?: string; message?: string } {
  // All addresses of a host may have failed, each with its own error.
  if (error instanceof AggregateError && error.errors.length > 0) return firstFailure(error.errors[0])
  return typeof error === 'object' && error !== null ? error : { message: messageOf(error) }
}
