import type { Fields } from '../wire-spec.ts'

/** One block of a conversation, and its position in the request. */
export type Block = { block: Fields; path: string; role: string }

/** Consecutive messages of one role, which the API treats as one. */
export type Turn = { role: string; path: string; blocks: Block[] }

/** The turns of a request whose messages were checked. */
export function turnsOf(messages: readonly Fields[]): Turn[] {
  const turns: Turn[] = []
  messages.forEach((message, index) => {
    const path = `messages.${index}`
    const role = String(message.role)
    let turn = turns.at(-1)
    if (turn?.role !== role) {
      turn = { role, path, blocks: [] }
      turns.push(turn)
    }
    const content = typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : message.content
    for (const [place, block] of (content as Fields[]).entries()) {
      turn.blocks.push({ block, path: `${path}.content.${place}`, role })
    }
  })
  return turns
}

export function isThinking(block: Fields): boolean {
  return block.type === 'thinking' || block.type === 'redacted_thinking'
}

/** The blocks that thinking is bound to: all blocks before it except thinking, whose order has its own signature. */
export function boundBlocks(blocks: readonly Block[]): unknown[] {
  return blocks.filter(({ block }) => !isThinking(block)).map(({ block, role }) => [role, block])
}
