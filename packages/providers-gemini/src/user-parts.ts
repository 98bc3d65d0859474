import type { UserMessage } from '@agentkit/core'
import { isBlank, partsOf, wellFormed } from '@agentkit/wire'
import type { Part } from '@google/genai'
import type { GeminiTraits } from './gemini-traits.ts'
import { mediaPart } from './media-part.ts'

/** What a user said, without what is blank: Gemini refuses parts with nothing in them. */
export function userParts(content: UserMessage['content'], traits: GeminiTraits, warnings: string[]): Part[] {
  return partsOf(content).flatMap((part) => {
    if (part.type !== 'text') return mediaPart(part, traits, warnings)
    return isBlank(part.text) ? [] : { text: wellFormed(part.text) }
  })
}
