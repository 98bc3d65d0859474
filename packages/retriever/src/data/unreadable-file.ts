import { AgentKitError, type FileStatus, isAgentKitError } from '@agentkit/core'

/** Why a file has no text to be had. */
export type UnreadableStatus = Exclude<FileStatus, 'ok' | 'low-quality'>

/** An AgentKitError `unreadable-file`, whose `status` says why. */
export type UnreadableFileError = Omit<AgentKitError, 'status'> & { status: UnreadableStatus }

/** A file that cannot be indexed; `reason` is a sentence for people. */
export function unreadableFile(status: UnreadableStatus, reason: string, cause?: unknown): UnreadableFileError {
  const error = new AgentKitError('unreadable-file', reason, cause === undefined ? {} : { cause })
  // Of every other error it is the number of an HTTP status, so the class cannot promise it.
  return Object.assign(error as Omit<AgentKitError, 'status'>, { status })
}

export function isUnreadableFile(error: unknown): error is UnreadableFileError {
  return isAgentKitError(error) && error.code === 'unreadable-file' && typeof error.status === 'string'
}
