import type { ErrorCode } from '@agentkit/core'
import type { ErrorContext, Failure } from '@agentkit/wire'
import type { Connection } from './connection.ts'

/** What errors of this model say, and what they must not say. */
export function errorContext(model: string, connection: Connection): ErrorContext {
  return {
    provider: 'openai',
    model,
    secrets: connection.secrets,
    hint: (code, failure) => hint(code, failure, connection),
  }
}

function hint(code: ErrorCode, { status, message }: Failure, connection: Connection): string | undefined {
  if (code === 'auth' && status !== 403) return 'Set LLMPROVIDER_API_KEY or OPENAI_API_KEY, or pass apiKey.'
  if (connection.api === 'chat' && wantsResponses.test(message)) return "Set api: 'responses'."
  if (code !== 'bad-request' || status !== 404 || connection.official) return undefined
  if (!/\/v\d/.test(connection.baseURL))
    return `The baseURL of most servers ends in /v1: ${connection.baseURL} does not.`
  return connection.api === 'responses' ? "This server may not have the Responses API: set api: 'chat'." : undefined
}

const wantsResponses = /v1\/responses/
