import type { ImagePart, ToolMessage } from '@agentkit/core'
import { imagesHeading, movedImageNote, partsOf, wellFormed, wireToolName } from '@agentkit/wire'
import type { Content, FunctionResponsePart, Part } from '@google/genai'
import type { GeminiTraits } from './gemini-traits.ts'
import { inlinePart, mediaPart } from './media-part.ts'

/**
 * The results of one turn's calls: a content with exactly one part for each call, or the request is refused, and one
 * with the images that a result cannot hold.
 */
export function resultContents(results: readonly ToolMessage[], traits: GeminiTraits): Content[] {
  const images: Part[] = []
  const parts = results.map((result) => resultPart(result, traits, images))
  const contents = [{ role: 'user', parts }]
  return images.length === 0 ? contents : [...contents, { role: 'user', parts: images }]
}

function resultPart(message: ToolMessage, traits: GeminiTraits, images: Part[]): Part {
  const { callId, content, isError } = message
  const name = geminiToolName(message.name)
  const held: FunctionResponsePart[] = []
  const outside: ImagePart[] = []
  const lines = partsOf(content).map((part) => {
    if (part.type === 'text') return wellFormed(part.text)
    const inline = traits.sinceGemini3 ? inlinePart(part) : undefined
    if (inline && holdable.test(inline.inlineData.mimeType)) {
      held.push(inline)
      return '[image: see the parts of this result]'
    }
    outside.push(part)
    return movedImageNote
  })
  if (outside.length > 0) {
    images.push({ text: imagesHeading(message).text })
    images.push(...outside.map(mediaPart))
  }
  const response = { [isError ? 'error' : 'output']: lines.join('\n') }
  const id = traits.sinceGemini3 ? { id: callId } : {}
  return { functionResponse: { ...id, name, response, ...(held.length > 0 && { parts: held }) } }
}

const holdable = /^image\/(?:png|jpeg|webp)$/

/** The name of a call as Gemini takes it: it starts with a letter or `_`. */
export function geminiToolName(name: string): string {
  const wireName = wireToolName(name)
  return /^[A-Za-z_]/.test(wireName) ? wireName : `_${wireName}`.slice(0, 64)
}
