import type { Model } from '../../contracts/model.ts'
import { AgentKitError, abortError, isAgentKitError, messageOf } from '../../data/errors.ts'
import { redactSecrets } from '../../util/text/redact.ts'
import { classifyForeignError } from './foreign-error.ts'

/** What a model threw as an AgentKitError; the reason of the signal if that has aborted. */
export function modelError(error: unknown, model: Model, signal: AbortSignal): AgentKitError {
  if (signal.aborted) return abortError(signal)
  if (isAgentKitError(error)) return error
  const message = redactSecrets(messageOf(error)) || 'it threw without a message.'
  const { code, details } = classifyForeignError(error)
  return new AgentKitError(code, `The model "${model.id}" failed: ${message}`, {
    cause: error,
    ...details,
    ...nameOf(model),
  })
}

/** The error for a stream that breaks the rules of a `Model`. */
export function brokenStream(
  model: Model,
  code: 'incomplete-stream' | 'malformed-stream',
  problem: string,
): AgentKitError {
  return new AgentKitError(code, `The answer of "${model.id}" ${problem}.`, { retryable: true, ...nameOf(model) })
}

/** Provider and model, as errors name them. */
export function nameOf({ id }: Model): { provider: string; model: string } {
  const [provider = '', ...model] = id.split('/')
  return { provider, model: model.join('/') }
}
