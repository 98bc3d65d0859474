import { AgentKitError, type JSONValue, type RunRecord, type Session, terminalLine } from '@agentkit/core'
import { messageOf } from '@agentkit/core/internal'

/**
 * Parses a stored text.
 * @param what the kind of value, for the error
 * @throws AgentKitError `storage`, which names the run
 */
export function parseStored<T>(text: string, runId: string, what: string): T {
  try {
    // This package has written it.
    return JSON.parse(text) as T
  } catch (cause) {
    throw new AgentKitError(
      'storage',
      `The ${what} of the run ${runId} cannot be read: the session database is damaged. ` +
        'Delete the session of the run, or restore a backup.',
      { cause, runId },
    )
  }
}

/**
 * Options or progress of a run. Of one that has ended, what is damaged counts as empty, so that its record is shown: nothing
 * continues it before it is retried, and read again.
 * @throws AgentKitError `storage`, which names the run
 */
export function parseOfRun(text: string, { runId, status }: RunRecord, what: string): JSONValue {
  try {
    return parseStored(text, runId, what)
  } catch (error) {
    if (status === 'done' || status === 'failed') return {}
    throw error
  }
}

/** @throws AgentKitError `storage` */
export function parseState(text: string): NonNullable<Session['state']> {
  try {
    return JSON.parse(text)
  } catch (cause) {
    const message = 'The state of a session cannot be read: the session database is damaged. Delete the session.'
    throw new AgentKitError('storage', message, { cause })
  }
}

/**
 * The rows that can be read: a damaged row must not prevent the start of the others. Reading the damaged row alone
 * reports it.
 */
export function readable<Row, Read>(rows: readonly Row[], read: (row: Row) => Read): Read[] {
  return rows.flatMap((row) => {
    try {
      return [read(row)]
    } catch {
      return []
    }
  })
}

/** As {@link readable}, for lists that people read: what is left out is one line on stderr, once. */
export function listed<Row, Read>(rows: readonly Row[], read: (row: Row) => Read): Read[] {
  return rows.flatMap((row) => {
    try {
      return [read(row)]
    } catch (error) {
      report(messageOf(error))
      return []
    }
  })
}

/** As {@link parseStored}, for lists: `undefined` for what is damaged. */
export function parseListed<T>(text: string, runId: string, what: string): T | undefined {
  return listed([text], () => parseStored<T>(text, runId, what))[0]
}

const maxReported = 1_000
const reported = new Set<string>()

function report(problem: string): void {
  if (reported.has(problem) || reported.size >= maxReported) return
  reported.add(problem)
  console.warn(terminalLine(`agentkit: ${problem}`))
}

export function toJSON(value: unknown): string {
  return JSON.stringify(value)
}

export function jsonOrNull(value: unknown): string | null {
  return value === undefined ? null : toJSON(value)
}
