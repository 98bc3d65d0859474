import type { Message } from '@agentkit/core'
import { isBlank, wellFormed } from './text.ts'

/**
 * Separates the instructions (the system messages at the start, without blank ones) from the conversation, for APIs with a
 * field for them.
 */
export function splitInstructions(messages: readonly Message[]): { instructions: string; rest: Message[] } {
  const instructions: string[] = []
  let first = 0
  for (let message = messages[0]; message?.role === 'system'; message = messages[++first]) {
    if (!isBlank(message.content)) instructions.push(wellFormed(message.content))
  }
  return { instructions: instructions.join('\n\n'), rest: messages.slice(first) }
}
