import type { Message } from '@agentkit/core'
import { isBlank, wellFormed } from './text.ts'

/**
 * Parts the instructions from the conversation, for APIs that take them in a field of their own: they are the system
 * messages that stand first, without blank ones.
 */
export function splitInstructions(messages: readonly Message[]): { instructions: string; rest: Message[] } {
  const instructions: string[] = []
  let first = 0
  for (let message = messages[0]; message?.role === 'system'; message = messages[++first]) {
    if (!isBlank(message.content)) instructions.push(wellFormed(message.content))
  }
  return { instructions: instructions.join('\n\n'), rest: messages.slice(first) }
}
