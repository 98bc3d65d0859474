import { AgentKitError, type ErrorCode, isAgentKitError } from '@agentkit/core'
import { type ErrorContext, type Failure, failureOfSdkError, networkError, providerError } from '@agentkit/wire'
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

/** An error of the SDK, of fetch or of a body that broke, as an AgentKitError. */
export function toOpenAIError(error: unknown, context: ErrorContext): AgentKitError {
  if (isAgentKitError(error)) return error
  const failure = failureOfSdkError(error)
  if (failure.status !== undefined) return providerError(failure, context)
  const network = networkError(error, context)
  if (network) return network
  // Neither an answer nor a broken connection: something refused to make the call, and would again.
  const { message, cause } = providerError(failure, context)
  return new AgentKitError('provider-error', message, { provider: context.provider, model: context.model, cause })
}

function hint(code: ErrorCode, { status, message }: Failure, connection: Connection): string | undefined {
  if (code === 'auth' && status !== 403) return 'Set LLMPROVIDER_API_KEY or OPENAI_API_KEY, or pass apiKey.'
  if (connection.api === 'chat') return wantsResponses.test(message) ? "Set api: 'responses'." : undefined
  if (code === 'bad-request' && status === 404 && !connection.official)
    return "This server may not have the Responses API: set api: 'chat'."
  return undefined
}

const wantsResponses = /v1\/responses/
