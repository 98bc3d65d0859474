import type { RememberedTurn } from '@agentkit/core'
import { limits } from './limits.ts'

/**
 * The text of a turn that is searched and that citations quote: the words of user and model, with a blank line between
 * messages.
 */
export function turnText({ messages }: Pick<RememberedTurn, 'messages'>): string {
  const text = messages.map((message) => message.text).join('\n\n')
  return text.length > limits.turnChars ? text.slice(0, limits.turnChars).toWellFormed() : text
}
