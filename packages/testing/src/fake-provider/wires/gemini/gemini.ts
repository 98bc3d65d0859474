import { ApiError } from '../errors.ts'
import type { RecordedRequest } from '../script.ts'
import { isFields, type Route, type WireSpec } from '../wire-spec.ts'
import { checkRequest } from './check-request.ts'
import { batchEmbeddings, singleEmbedding } from './embeddings.ts'
import { geminiErrorBody } from './error-body.ts'
import { generateAnswer } from './generate-answer.ts'

/** The Gemini API, for keys of AI Studio. */
export const gemini: WireSpec = {
  basePath: '',
  framing: 'sse',
  lineEnd: '\r\n',
  notJSON: 'Invalid JSON payload received. Expected an object.',
  checkKey({ headers, query }) {
    if ((headers['x-goog-api-key'] ?? query.key ?? headers.authorization) !== undefined) return
    throw new ApiError(
      403,
      "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or other " +
        'form of API consumer identity to call this API.',
    )
  },
  route(request) {
    const { model, method } = callOf(request)
    if (method === 'generateContent') return generateRoute(model, 'whole')
    if (method !== 'streamGenerateContent') return undefined
    return generateRoute(model, request.query.alt === 'sse' ? 'stream' : 'list')
  },
  plain(request) {
    const { method: verb, path, body } = request
    if (verb === 'GET' && /^\/v1(beta|alpha)?\/models$/.test(path)) return { models: [modelInfo] }
    const { model, method } = callOf(request)
    if (method === 'batchEmbedContents' || method === 'embedContent') {
      if (!isFields(body)) throw new ApiError(400, gemini.notJSON)
      return method === 'embedContent' ? singleEmbedding(body, model) : batchEmbeddings(body, model)
    }
    throw new ApiError(404, `The requested URL ${path} was not found on this server.`)
  },
  errorBody: geminiErrorBody,
  retryAfterInBody: true,
  headers: () => ({ 'x-gemini-service-tier': 'standard', 'server-timing': 'gfet4t7; dur=1' }),
}

/** The model and method of a request; all versions of the API have the same behaviour. */
function callOf({ method: verb, path }: RecordedRequest): { model: string; method?: string } {
  const [, model = '', method] = /^\/v1(?:beta|alpha)?\/models\/([^/:]+):(\w+)$/.exec(path) ?? []
  return verb === 'POST' && method ? { model: decodeURIComponent(model), method } : { model: '' }
}

/** Without `alt=sse` even a stream is JSON: the list of its chunks. */
function generateRoute(model: string, form: 'whole' | 'stream' | 'list'): Route {
  return {
    check: (body) => checkRequest(body, model),
    streams: () => form === 'stream',
    answer(answer, body, makeId) {
      const played = generateAnswer(answer, body, model, makeId)
      return form === 'list' ? { ...played, body: [played.body] } : played
    },
  }
}

const modelInfo = {
  name: 'models/gemini-fake',
  version: '001',
  displayName: 'Fake',
  inputTokenLimit: 1_048_576,
  outputTokenLimit: 65_536,
  supportedGenerationMethods: ['generateContent'],
}
