import { AgentKitError, isAgentKitError, withRetries } from '@agentkit/core'
import { messageOf, redactSecrets } from '@agentkit/core/internal'

/** Does something with a table, and says what can be done when that fails. */
export type Guard = <Value>(what: string, work: () => Promise<Value>, signal?: AbortSignal) => Promise<Value>

/**
 * Makes LanceDB's errors ours. A change that another one got in the way of is made again.
 *
 * @param place the folder or the address of the index
 */
export function guardOf(place: string): Guard {
  return (what, work, signal = new AbortController().signal) =>
    withRetries(
      async () => {
        try {
          return await work()
        } catch (error) {
          throw isAgentKitError(error) ? error : storageError(what, place, error)
        }
      },
      signal,
      conflictRetry,
    )
}

/**
 * Conflicts with commits of other processes. If two processes create a table at once, the later one overwrites it, and
 * LanceDB reports the other's transactions as incompatible.
 */
const othersCommitted = /commit conflict|incompatible with concurrent transaction|too many concurrent writ/i

/** The waits are short because a commit takes milliseconds. */
const conflictRetry = { attempts: 6, firstWaitMs: 20, longestWaitMs: 500 }

function storageError(what: string, place: string, cause: unknown): AgentKitError {
  const [reason = ''] = redactSecrets(wordsOfError(cause)).split(/\n|, (?:\/|rust\/)/)
  if (othersCommitted.test(reason)) {
    return new AgentKitError('storage', `LanceDB could not ${what}: others changed the index.`, {
      cause,
      retryable: true,
    })
  }
  const message = `LanceDB could not ${what} (${reason.slice(0, 300)}). ${fixOf(reason, place)}`
  return new AgentKitError('storage', message, { cause })
}

function fixOf(reason: string, place: string): string {
  if (/os error (?:13|30)\)/.test(reason)) return `Allow this user to read and write the folder ${place}.`
  if (/os error 28\)/.test(reason)) return `Free space on the disk of ${place}.`
  const where = isAddress(place)
    ? `Check that it can be reached, its region, and its keys. If the index is damaged, delete what is at ${place}`
    : `If the index is damaged, delete the folder ${place}`
  return `${where}: the next sync builds it again.`
}

/** The error of a folder that cannot be created. The error of an index would say that the index is damaged. */
export function folderError(folder: string, cause: unknown): AgentKitError {
  const message = `The index in "${folder}" cannot be made: ${messageOf(cause)}. Name an \`indexPath\` that this user may write.`
  return new AgentKitError('storage', message, { cause })
}

export function wordsOfError(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** `s3://…` and the like; no drive such as `C:\`. */
export function isAddress(uri: string): boolean {
  return /^[a-z][a-z0-9+.-]+:\/\//i.test(uri)
}
