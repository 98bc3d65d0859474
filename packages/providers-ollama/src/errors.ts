import { AgentKitError, type ErrorCode } from '@agentkit/core'
import { type ErrorContext, type Failure, toProviderError } from '@agentkit/wire'
import type { Connection } from './connection.ts'

/** What errors of this model say, and what they must not say. */
export function errorContext(model: string, { secrets }: Connection): ErrorContext {
  return { provider: 'ollama', model, secrets, hint: (code, failure) => hint(code, failure, model) }
}

function hint(code: ErrorCode, { status, message }: Failure, model: string): string | undefined {
  if (code === 'model-not-found') return `Get it with: ollama pull ${model}`
  if (code === 'context-overflow') return 'Pass a larger contextWindow, as far as the memory allows.'
  if (code === 'auth') return 'Set OLLAMA_API_KEY, or pass apiKey.'
  if (/does not support tools/.test(message)) return 'Choose a model that takes tools: "ollama show" tells.'
  if (/does not support thinking|think value .* not supported/.test(message)) return 'Leave `reasoning` out.'
  if (status === 404) return 'Check the serverUrl: is it that of an Ollama server?'
  return undefined
}

/** What the SDK, our fetch or a body that broke throws, as an AgentKitError. */
export function toOllamaError(error: unknown, context: ErrorContext, { host }: Connection): AgentKitError {
  const told = toProviderError(error, context)
  if (told.code !== 'network' || !/ECONNREFUSED/.test(told.message)) return told
  const { provider, model } = context
  const where = host === undefined ? 'Ollama' : `Ollama at ${host}`
  const message = `${told.message} Nothing answers for ${where}: start it with "ollama serve".`
  return new AgentKitError('network', message, { provider, model, retryable: told.retryable, cause: told.cause })
}
