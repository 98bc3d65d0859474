import type { UserMessage } from '@agentkit/core'
import { isBlank, partsOf, wellFormed } from '@agentkit/wire'
import type { Part } from '@google/genai'
import { mediaPart } from './media-part.ts'

/** What a user said, without what is blank: Gemini refuses parts with nothing in them. */
export function userParts(content: UserMessage['content']): Part[] {
  return partsOf(content).flatMap((part) => {
    if (part.type !== 'text') return mediaPart(part)
    return isBlank(part.text) ? [] : { text: wellFormed(part.text) }
  })
}
