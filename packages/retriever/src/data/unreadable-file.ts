import { AgentKitError, type FileStatus, isAgentKitError } from '@agentkit/core'
import { systemCode } from '@agentkit/core/internal'

/** Why a file has no text. */
export type UnreadableStatus = Exclude<FileStatus, 'ok' | 'low-quality'>

/** An AgentKitError `unreadable-file` whose `status` names the reason. */
export type UnreadableFileError = Omit<AgentKitError, 'status'> & { status: UnreadableStatus }

/** A file that cannot be indexed; `reason` is a sentence for users. */
export function unreadableFile(status: UnreadableStatus, reason: string, cause?: unknown): UnreadableFileError {
  const error = new AgentKitError('unreadable-file', reason, cause === undefined ? {} : { cause })
  // The `status` of other errors is an HTTP status, so the class cannot declare its type.
  return Object.assign(error as Omit<AgentKitError, 'status'>, { status })
}

/** Whether an error says that a file cannot be read, with its status and reason. */
export function isUnreadableFile(error: unknown): error is UnreadableFileError {
  return isAgentKitError(error) && error.code === 'unreadable-file' && typeof error.status === 'string'
}

/** Whether an error of the file system says that a file, or a folder of its path, does not exist. */
export function isMissingFile(error: unknown): boolean {
  return /^(?:ENOENT|ENOTDIR)$/.test(systemCode(error) ?? '')
}
