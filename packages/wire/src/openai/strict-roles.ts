import { continuePrompt } from '../messages/text.ts'
import type { ChatMessage, ChatUserPart } from './chat-types.ts'

type UserMessage = Extract<ChatMessage, { role: 'user' }>

/**
 * Puts messages into an order that the chat templates of open models take, which vLLM and llama.cpp run: instructions once
 * and first, then users and assistants take turns, beginning and ending with a user or a tool's result.
 * @param model its name: templates of Mistral's models take no user's message directly after a result
 */
export function withStrictRoles(messages: readonly ChatMessage[], model: string): ChatMessage[] {
  const ordered: ChatMessage[] = []
  const begin = messages.findIndex(({ role }) => role !== 'system')
  const instructions = begin === -1 ? messages : messages.slice(0, begin)
  if (instructions.length > 0) {
    ordered.push({ role: 'system', content: instructions.map(({ content }) => textOf(content)).join('\n\n') })
  }
  for (const message of messages.slice(instructions.length)) {
    const next: ChatMessage = message.role === 'system' ? { role: 'user', content: message.content } : message
    const before = ordered.at(-1)
    if (next.role === 'user' && before?.role === 'user') {
      ordered[ordered.length - 1] = joined(before, next)
      continue
    }
    if (next.role === 'user' && before?.role === 'tool' && ofMistral.test(model)) {
      ordered.push({ role: 'assistant', content: 'Understood.' })
    }
    if (next.role === 'assistant' && before?.role !== 'user' && before?.role !== 'tool') ordered.push(between)
    ordered.push(next)
  }
  const last = ordered.at(-1)?.role
  if (last !== 'user' && last !== 'tool') ordered.push(between)
  return ordered
}

/** The placeholder of a user's turn where the template requires one. */
const between: ChatMessage = { role: 'user', content: continuePrompt }
const ofMistral = /(?:mi[sx]|minis|magis|devs|codes|pix|vox)tral/i

function joined(first: UserMessage, second: UserMessage): UserMessage {
  if (typeof first.content === 'string' && typeof second.content === 'string') {
    return { role: 'user', content: `${first.content}\n\n${second.content}` }
  }
  return { role: 'user', content: [...partsOf(first), ...partsOf(second)] }
}

function partsOf({ content }: UserMessage): ChatUserPart[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content
}

function textOf(content: ChatMessage['content']): string {
  if (typeof content === 'string') return content
  return (content ?? []).map((part) => (part.type === 'text' ? part.text : '')).join('\n\n')
}
