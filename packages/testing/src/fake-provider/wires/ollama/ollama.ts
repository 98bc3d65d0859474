import { embed } from '../answer-parts.ts'
import { ApiError, type UsualWords, wordsOf } from '../errors.ts'
import type { RecordedRequest } from '../script.ts'
import { type Fields, isFields, type Route, type WireSpec } from '../wire-spec.ts'
import { ollamaAnswer } from './chat-answer.ts'
import { checkOllamaRequest } from './check-request.ts'

/** An Ollama server: chat in lines of JSON, and embeddings. It requires no key and has no request ids. */
export const ollama: WireSpec = {
  basePath: '',
  framing: 'ndjson',
  notJSON: 'unexpected EOF',
  checkKey() {},
  route: ({ method, path }) => (method === 'POST' && path === '/api/chat' ? chat : undefined),
  plain: plainAnswer,
  errorBody: (error) => ({ error: wordsOf(error, usual).message }),
  headers: () => ({}),
}

// The server streams by default.
const chat: Route = { check: checkOllamaRequest, streams: (body) => body.stream !== false, answer: ollamaAnswer }

function plainAnswer({ method, path, body }: RecordedRequest): unknown {
  if (method === 'POST' && path === '/api/embed') {
    if (isFields(body)) return embedAnswer(body)
    throw new ApiError(400, ollama.notJSON)
  }
  if (method === 'GET' && path === '/api/version') return { version: '0.30.11' }
  if (method === 'GET' && path === '/api/tags') {
    const model = { name: 'fake-model:latest', model: 'fake-model:latest', modified_at: new Date(0).toISOString() }
    return { models: [{ ...model, size: 1, digest: '0'.repeat(64), details: { family: 'fake', format: 'gguf' } }] }
  }
  throw new ApiError(404, '404 page not found')
}

function embedAnswer({ model, input, dimensions }: Fields): unknown {
  if (typeof model !== 'string' || model === '') throw new ApiError(400, 'model is required')
  const texts: unknown[] = Array.isArray(input) ? input : [input]
  if (input === undefined || !texts.every((text) => typeof text === 'string')) {
    throw new ApiError(400, 'invalid input type')
  }
  const size = typeof dimensions === 'number' ? dimensions : 8
  return {
    model,
    embeddings: texts.map((text) => [...embed(String(text), size)]),
    total_duration: 2_000_000,
    load_duration: 1_000_000,
    prompt_eval_count: Math.ceil(texts.join('').length / 4),
  }
}

const usual: UsualWords = {
  400: { message: 'invalid request' },
  401: { message: 'unauthorized' },
  403: { message: 'this model requires a subscription, upgrade for access' },
  404: { message: 'model "missing" not found, try pulling it first' },
  429: { message: "you've reached your hourly usage limit, please upgrade to continue" },
  500: { message: 'an error was encountered while running the model: unexpected EOF' },
  503: { message: 'server busy, please try again.  maximum pending requests exceeded' },
  insufficient_quota: { message: "you've reached your weekly usage limit, please upgrade to continue" },
  context_length_exceeded: { message: 'the input length exceeds the context length' },
}
