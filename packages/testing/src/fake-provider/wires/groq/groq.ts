import { ApiError } from '../errors.ts'
import type { Route, WireSpec } from '../wire-spec.ts'
import { groqAnswer } from './chat-answer.ts'
import { checkGroqRequest } from './check-request.ts'
import { groqErrorBody } from './error-body.ts'

/** `api.groq.com`: chat. */
export const groq: WireSpec = {
  basePath: '',
  framing: 'sse',
  notJSON: 'could not parse the JSON body of your request',
  checkKey({ headers }) {
    if (headers.authorization === undefined) throw new ApiError(401, 'Invalid API Key', { code: 'invalid_api_key' })
  },
  route: ({ method, path }) => (method === 'POST' && path === '/openai/v1/chat/completions' ? chat : undefined),
  plain({ method, path }) {
    if (method === 'GET' && path === '/openai/v1/models') {
      const model = { id: 'fake-model', object: 'model', created: 1_700_000_000, owned_by: 'fake', active: true }
      return { object: 'list', data: [{ ...model, context_window: 131_072, max_completion_tokens: 65_536 }] }
    }
    throw new ApiError(404, `Unknown request URL: ${method} ${path}. Please check the URL for typos.`, {
      code: 'unknown_url',
    })
  },
  errorBody: groqErrorBody,
  headers: (requestId) => ({ 'x-request-id': requestId, 'x-groq-region': 'fra' }),
}

const chat: Route = { check: checkGroqRequest, streams: (body) => body.stream === true, answer: groqAnswer }
