import { AgentKitError, isAgentKitError } from '@agentkit/core'
import { toErrorInfo } from '@agentkit/core/internal'
import type { RawError, RecordedCall } from './parse-cassette.ts'
import { scrubbed } from './scrub.ts'

/** An error of a model as plain data. */
export function toRecordedError(error: unknown): Pick<RecordedCall, 'error' | 'thrown'> {
  if (!isAgentKitError(error)) return { thrown: scrubbed(toRawError(error)) }
  const { usage } = error
  return { error: scrubbed({ ...toErrorInfo(error), ...(usage && { usage }) }) }
}

/** Converts it back to an error. */
export function fromRecordedError({ error, thrown }: Pick<RecordedCall, 'error' | 'thrown'>): Error | undefined {
  if (error) return new AgentKitError(error.code, error.message, error)
  return thrown && fromRawError(thrown)
}

/** @param depth the number of causes so far; a chain may be circular */
function toRawError(error: unknown, depth = 0): RawError {
  if (!(error instanceof Error)) return { name: 'Error', message: typeof error === 'string' ? error : '' }
  const raw: RawError = { name: error.name, message: error.message }
  // A foreign error: each field is checked before it is used.
  const { code, status, statusCode } = error as { code?: unknown; status?: unknown; statusCode?: unknown }
  if (typeof code === 'string') raw.code = code
  if (typeof status === 'number') raw.status = status
  if (typeof statusCode === 'number') raw.statusCode = statusCode
  if (error.cause instanceof Error && depth < 5) raw.cause = toRawError(error.cause, depth + 1)
  return raw
}

function fromRawError({ message, cause, ...fields }: RawError): Error {
  return Object.assign(new Error(message, cause && { cause: fromRawError(cause) }), fields)
}
