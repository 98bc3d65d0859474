import type { UserMessage } from '@agentkit/core'
import { isBlank, wellFormed } from '@agentkit/wire'
import type { Part } from '@google/genai'
import { mediaPart } from './media-part.ts'
import type { GeminiTraits } from './model-traits.ts'

/** What a user said, without what is blank: Gemini refuses parts with nothing in them. */
export function userParts(content: UserMessage['content'], traits: GeminiTraits, warnings: string[]): Part[] {
  const parts = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content
  return parts.flatMap((part) => {
    if (part.type !== 'text') return mediaPart(part, traits, warnings)
    return isBlank(part.text) ? [] : { text: wellFormed(part.text) }
  })
}
