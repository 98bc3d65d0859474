import { ApiError } from '../errors.ts'
import { embeddingsBody } from '../openai/embeddings.ts'
import { chatRoute, responsesRoute } from '../openai/openai.ts'
import type { RecordedRequest } from '../script.ts'
import { isFields, type Route, type WireSpec } from '../wire-spec.ts'
import { azureChatAnswer } from './chat-answer.ts'
import { azureErrorBody } from './error-body.ts'

/**
 * A resource of Azure OpenAI: deployments at URLs with an `api-version`, and `/openai/v1`, which needs none. Requests are
 * checked and answered like OpenAI's.
 */
export const azure: WireSpec = {
  basePath: '',
  framing: 'sse',
  notJSON: 'We could not parse the JSON body of your request.',
  checkKey({ headers }) {
    if (headers['api-key'] !== undefined || headers.authorization !== undefined) return
    throw new ApiError(401, accessDenied, { code: '401' })
  },
  route: findRoute,
  plain: plainAnswer,
  errorBody: azureErrorBody,
  headers: (requestId) => ({
    'apim-request-id': requestId,
    'x-request-id': requestId,
    'x-ms-region': 'Sweden Central',
  }),
}

const accessDenied =
  'Access denied due to invalid subscription key or wrong API endpoint. Make sure to provide a valid key for an active ' +
  'subscription and use a correct regional API endpoint for your resource.'

const azureChat: Route = { ...chatRoute, answer: azureChatAnswer }

function findRoute(request: RecordedRequest): Route | undefined {
  const { method, path, query } = request
  if (method !== 'POST') return undefined
  if (path === '/openai/v1/chat/completions') return azureChat
  if (path === '/openai/v1/responses') return responsesRoute
  const version = query['api-version']
  if (version === undefined) return undefined
  if (path === '/openai/responses') return { ...responsesRoute, check: checkResponses(version) }
  const deployment = deploymentOf(path, 'chat/completions')
  if (deployment === undefined) return undefined
  // The URL names the deployment, so the body need not.
  return { ...azureChat, check: (body) => azureChat.check({ model: deployment, ...body }) }
}

function checkResponses(version: string): Route['check'] {
  return (body) => {
    if (version !== 'preview' && version.slice(0, 10) < '2025-03-01') {
      const message = 'Azure OpenAI Responses API is enabled only for api-version 2025-03-01-preview and later'
      throw new ApiError(400, message, { code: 'BadRequest' })
    }
    responsesRoute.check(body)
  }
}

function plainAnswer({ method, path, query, body }: RecordedRequest): unknown {
  const deployment = query['api-version'] === undefined ? undefined : deploymentOf(path, 'embeddings')
  if (method === 'POST' && (deployment !== undefined || path === '/openai/v1/embeddings')) {
    if (!isFields(body)) throw new ApiError(400, azure.notJSON)
    return embeddingsBody(deployment === undefined ? body : { model: deployment, ...body })
  }
  throw new ApiError(404, 'Resource not found', { code: '404' })
}

function deploymentOf(path: string, operation: string): string | undefined {
  const [, deployment, rest] = /^\/openai\/deployments\/([^/]+)\/(.+)$/.exec(path) ?? []
  return rest === operation ? deployment : undefined
}
