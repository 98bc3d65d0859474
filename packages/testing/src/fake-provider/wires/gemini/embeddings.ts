import { embed } from '../answer-parts.ts'
import { ApiError } from '../errors.ts'
import type { Fields } from '../wire-spec.ts'
import { parseMessage } from './parse-message.ts'

/** The answer of `:batchEmbedContents`: one vector per request, however many parts its content has. */
export function batchEmbeddings(body: Fields, model: string): unknown {
  const { requests = [] } = parseMessage(body, 'BatchEmbedContentsRequest')
  // The message was parsed, so it is a list.
  const list = requests as Fields[]
  if (list.length === 0) throw new ApiError(400, '* BatchEmbedContentsRequest.requests: requests is not specified\n')
  if (list.length > 100) {
    throw new ApiError(400, '* BatchEmbedContentsRequest.requests: at most 100 requests can be in one batch\n')
  }
  return { embeddings: list.map((request, index) => embedding(request, `requests[${index}].`, model)) }
}

/** The answer of `:embedContent`. */
export function singleEmbedding(body: Fields, model: string): unknown {
  const request = parseMessage(body, 'EmbedContentRequest')
  return { embedding: embedding({ model: `models/${model}`, ...request }, '', model) }
}

function embedding(request: Fields, path: string, model: string): { values: number[] } {
  if (request.model !== `models/${model}`) {
    throw new ApiError(400, `* BatchEmbedContentsRequest.${path}model: must be models/${model}\n`)
  }
  const { parts = [] } = (request.content ?? {}) as { parts?: Fields[] }
  const text = parts.map((part) => String(part.text ?? '')).join('\n')
  if (text === '') throw new ApiError(400, `* BatchEmbedContentsRequest.${path}content: contents is empty\n`)
  const dimensions = request.outputDimensionality === undefined ? 8 : Number(request.outputDimensionality)
  return { values: Array.from(embed(text, dimensions)) }
}
