import { embed } from '../answer-parts.ts'
import { ApiError } from '../errors.ts'
import type { Fields } from '../wire-spec.ts'
import { refuseExtra, requireField, requireLiteral, requireText } from './checks.ts'

const knownKeys = ['model', 'input', 'metadata', 'output_dimension', 'output_dtype', 'encoding_format']

/** The answer of `/v1/embeddings`. A batch has limits, and no text is empty. */
export function embeddingsBody(body: Fields): unknown {
  refuseExtra(body, knownKeys, '')
  const model = requireText(requireField(body, 'model', ''), 'model')
  const input = requireField(body, 'input', '')
  const texts = (Array.isArray(input) ? input : [input]).map((text, index) => requireText(text, `input.${index}`))
  if (texts.length === 0)
    throw new ApiError(400, 'Input must contain at least one text.', { type: 'invalid_request_error' })
  if (texts.includes('')) throw new ApiError(400, 'Input contains an empty text.', { type: 'invalid_request_error' })
  if (texts.length > 256) {
    throw new ApiError(400, 'Too many inputs in request, split into more batches.', { type: 'invalid_request_error' })
  }
  // A Chinese character is about one token, a word of a Latin script one of four letters.
  const letters = texts.join('')
  const wide = letters.replace(/[ -\u024f]/g, '').length
  const tokens = Math.ceil((letters.length - wide) / 4) + wide
  if (tokens > 16_384) {
    throw new ApiError(400, 'Too many tokens overall, split into more batches.', { type: 'invalid_request_error' })
  }
  requireLiteral(body.encoding_format ?? 'float', ['float', 'base64'], 'encoding_format')
  const dimensions = typeof body.output_dimension === 'number' ? body.output_dimension : 8
  return {
    id: '0'.repeat(32),
    object: 'list',
    data: texts.map((text, index) => ({ object: 'embedding', embedding: [...embed(text, dimensions)], index })),
    model,
    usage: { prompt_tokens: tokens, total_tokens: tokens, completion_tokens: 0, prompt_tokens_details: null },
  }
}
