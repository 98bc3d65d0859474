import { ApiError } from '../errors.ts'
import type { RecordedRequest } from '../script.ts'
import { isFields, type Route, type WireSpec } from '../wire-spec.ts'
import { chatAnswer } from './chat-answer.ts'
import { checkChatRequest } from './check-chat-request.ts'
import { checkResponsesRequest } from './check-responses-request.ts'
import { embeddingsBody } from './embeddings.ts'
import { openAIErrorBody } from './error-body.ts'
import { responsesAnswer } from './responses-answer.ts'

/** Both wires of OpenAI. */
export const openAI: WireSpec = {
  basePath: '/v1',
  framing: 'sse',
  notJSON: 'We could not parse the JSON body of your request.',
  checkKey({ headers }) {
    if (headers.authorization !== undefined) return
    throw new ApiError(
      401,
      "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth " +
        '(i.e. Authorization: Bearer YOUR_KEY).',
    )
  },
  route: ({ method, path }) => (method === 'POST' ? routes[path] : undefined),
  plain: plainAnswer,
  errorBody: openAIErrorBody,
  headers: (requestId) => ({
    'x-request-id': requestId,
    'openai-version': '2020-10-01',
    'openai-processing-ms': '1',
  }),
}

const streams: Route['streams'] = (body) => body.stream === true

export const chatRoute: Route = { check: checkChatRequest, streams, answer: chatAnswer }
export const responsesRoute: Route = { check: checkResponsesRequest, streams, answer: responsesAnswer }

const routes: Record<string, Route> = { '/v1/chat/completions': chatRoute, '/v1/responses': responsesRoute }

function plainAnswer({ method, path, body }: RecordedRequest): unknown {
  if (method === 'POST' && path === '/v1/embeddings') {
    if (isFields(body)) return embeddingsBody(body)
    throw new ApiError(400, openAI.notJSON)
  }
  if (method === 'GET' && path === '/v1/models') {
    return { object: 'list', data: [{ id: 'fake-model', object: 'model', created: 1_700_000_000, owned_by: 'fake' }] }
  }
  throw new ApiError(404, `Invalid URL (${method} ${path})`)
}
