import { AgentKitError, type ErrorCode } from '@agentkit/core'
import { type ErrorContext, type Failure, openaiTraits, toProviderError } from '@agentkit/wire'
import { type Connection, tokenFailure } from './connection.ts'

/**
 * The context for errors of this deployment: hints for them, and secrets to redact.
 * @param model the OpenAI model, if it is known
 */
export function errorContext(
  deployment: string,
  { secrets, api }: Connection,
  model: string = deployment,
): ErrorContext {
  const hint: ErrorContext['hint'] = (code, failure) =>
    code === 'bad-request' ? requestHint(failure, { deployment, model, api }) : hintOf(code, deployment)
  return { provider: 'azure', model: deployment, secrets, hint }
}

/** Anything that the SDK, `fetch` or a broken body throws, as an AgentKitError. */
export function toAzureError(error: unknown, context: ErrorContext): AgentKitError {
  const noToken = tokenFailure(error)
  if (!noToken) return toProviderError(error, context)
  const { code, message, cause } = noToken
  return new AgentKitError(code, message, { provider: context.provider, model: context.model, cause })
}

function hintOf(code: ErrorCode, deployment: string): string | undefined {
  if (code === 'auth') {
    return 'Check AZURE_OPENAI_API_KEY, apiKey or azureADTokenProvider, and that it is of the resource of the endpoint.'
  }
  if (code !== 'model-not-found') return undefined
  return `"${deployment}" is taken for the name of a deployment, which need not be that of its model: the portal lists them.`
}

type Called = { deployment: string; model: string; api: Connection['api'] }

function requestHint({ status, message }: Failure, { deployment, model, api }: Called): string | undefined {
  if (api === 'chat' && wantsResponses.test(message)) return "Set api: 'responses'."
  if (status === 404 || wrongVersion.test(message)) {
    return 'Check the endpoint, such as https://my-resource.openai.azure.com, and the apiVersion.'
  }
  if (notTaken.test(message) && openaiTraits(model).reasoning === undefined) {
    return `Say which model it is, to send only what that takes: model(${JSON.stringify(deployment)}, { model: 'gpt-5.6-sol' }).`
  }
  return undefined
}

/** Tools together with reasoning, models that have no other API, and files. */
const wantsResponses =
  /v1\/responses|responses api|chatcompletion operation does not work|does not support file content/i
const wrongVersion = /api[ -]version/i
const notTaken = /unsupported (?:value|parameter)|unrecognized request argument|not supported with this model/i
