import type { Reply } from '../stream/reply.ts'
import { isRecord } from '../util/is-record.ts'

/**
 * Tells one part of a Chat Completions content that is a list. Mistral's models that reason send theirs so, wherever they
 * are served; a signature goes back to the model with it.
 */
export function readContentPart(part: unknown, reply: Reply): void {
  if (!isRecord(part)) return
  if (part.type !== 'thinking') {
    if (typeof part.text === 'string') reply.text(part.text)
    else if (typeof part.type === 'string' && part.type !== 'text') {
      reply.warn(`The server added a "${part.type}" of its own to the answer: it was left out.`)
    }
    return
  }
  reply.reasoning(thoughts(part.thinking))
  if (typeof part.signature === 'string' && part.signature !== '') reply.endReasoning({ signature: part.signature })
}

function thoughts(thinking: unknown): string {
  if (typeof thinking === 'string') return thinking
  if (!Array.isArray(thinking)) return ''
  return thinking.map((thought) => (isRecord(thought) && typeof thought.text === 'string' ? thought.text : '')).join('')
}
