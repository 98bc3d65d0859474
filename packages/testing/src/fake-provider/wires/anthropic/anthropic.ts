import { ApiError } from '../errors.ts'
import type { RecordedRequest } from '../script.ts'
import type { WireSpec } from '../wire-spec.ts'
import { checkRequest, type Dialect } from './check-request.ts'
import { anthropicErrorBody } from './error-body.ts'
import { messagesAnswer } from './messages-answer.ts'

const versions = ['2023-06-01', '2026-10-21']

/** Anthropic's Messages API, in both of its versions. */
export const anthropic: WireSpec = {
  basePath: '',
  framing: 'sse',
  notJSON: 'The request body is not valid JSON: expected an object.',
  checkKey({ headers }) {
    if (headers['x-api-key'] !== undefined || headers.authorization !== undefined) return
    throw new ApiError(401, 'x-api-key header is required')
  },
  route(request) {
    if (request.method !== 'POST' || request.path !== '/v1/messages') return undefined
    const dialect = dialectOf(request)
    return {
      check: (body) => checkRequest(body, dialect),
      streams: (body) => body.stream === true,
      answer: messagesAnswer,
    }
  },
  plain(request) {
    if (request.method === 'GET' && request.path === '/v1/models') {
      dialectOf(request)
      return modelList
    }
    throw new ApiError(404, 'Not Found')
  },
  errorBody: anthropicErrorBody,
  headers: (requestId) => ({ 'request-id': requestId, 'anthropic-organization-id': 'org_fake' }),
}

function dialectOf({ headers }: RecordedRequest): Dialect {
  const version = headers['anthropic-version']
  if (version === undefined) throw new ApiError(400, 'anthropic-version: header is required')
  if (!versions.includes(version)) {
    throw new ApiError(
      400,
      `anthropic-version: "${version}" is not a valid version. Use one of ${versions.join(', ')}.`,
    )
  }
  const betas = headers['anthropic-beta']?.split(',').map((beta) => beta.trim()) ?? []
  return { version, betas }
}

const modelList = {
  data: [{ type: 'model', id: 'claude-fake', display_name: 'Fake', created_at: '2026-01-01T00:00:00Z' }],
  has_more: false,
  first_id: 'claude-fake',
  last_id: 'claude-fake',
}
