import { embed } from '../answer-parts.ts'
import { ApiError } from '../errors.ts'
import type { Fields } from '../wire-spec.ts'
import { requireField, requireList, requireOneOf, requireText } from './checks.ts'

/**
 * The answer of `/v1/embeddings`: equal texts have equal vectors, of length 1. Base64, unless the request asks for
 * floats.
 */
export function embeddingsBody(body: Fields): unknown {
  const model = requireField(body, 'model', '')
  const texts = typeof body.input === 'string' ? [body.input] : requireList(body.input, 'input')
  if (texts.length === 0 || texts.includes('')) {
    throw new ApiError(400, "Invalid 'input': input cannot be an empty string or an empty array.", { param: 'input' })
  }
  if (texts.length > 2048) {
    throw new ApiError(400, "Invalid 'input': expected an array with maximum length 2048.", { param: 'input' })
  }
  const format = body.encoding_format ?? 'float'
  requireOneOf(format, ['float', 'base64'], 'encoding_format')
  const dimensions = typeof body.dimensions === 'number' ? body.dimensions : 8
  const vectors = texts.map((text, index) => embed(requireText(text, `input[${index}]`), dimensions))
  const tokens = Math.ceil(texts.join('').length / 4)
  return {
    object: 'list',
    data: vectors.map((vector, index) => ({
      object: 'embedding',
      index,
      embedding: format === 'base64' ? Buffer.from(vector.buffer).toString('base64') : Array.from(vector),
    })),
    model,
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  }
}
