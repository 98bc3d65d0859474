import { ApiError } from '../errors.ts'
import type { RecordedRequest } from '../script.ts'
import { isFields, type Route, type WireSpec } from '../wire-spec.ts'
import { mistralAnswer } from './chat-answer.ts'
import { checkMistralRequest } from './check-request.ts'
import { embeddingsBody } from './embeddings.ts'
import { mistralErrorBody, noRoute } from './error-body.ts'

/** `api.mistral.ai`: chat and embeddings. */
export const mistral: WireSpec = {
  basePath: '',
  framing: 'sse',
  notJSON: 'JSON decode error',
  checkKey({ headers }) {
    if (headers.authorization === undefined) throw new ApiError(401, 'Unauthorized')
  },
  route: ({ method, path }) => (method === 'POST' && path === '/v1/chat/completions' ? chat : undefined),
  plain: plainAnswer,
  errorBody: mistralErrorBody,
  headers: (requestId) => ({ 'mistral-correlation-id': requestId, 'x-kong-request-id': requestId }),
}

const chat: Route = {
  check: checkMistralRequest,
  streams: (body) => body.stream === true,
  answer: mistralAnswer,
}

function plainAnswer({ method, path, body }: RecordedRequest): unknown {
  if (method === 'POST' && path === '/v1/embeddings') {
    if (isFields(body)) return embeddingsBody(body)
    throw new ApiError(400, mistral.notJSON)
  }
  if (method === 'GET' && path === '/v1/models') {
    const model = { id: 'fake-model', object: 'model', created: 1_700_000_000, owned_by: 'mistralai' }
    return { object: 'list', data: [{ ...model, capabilities: { completion_chat: true, function_calling: true } }] }
  }
  throw new ApiError(404, noRoute)
}
