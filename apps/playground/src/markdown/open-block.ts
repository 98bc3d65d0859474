import type { Token, Tokens } from 'marked'

/** From this length on, the finished part of a growing list or table is kept. */
const maxOpen = 1_000

/** A list or table on the page that receives further items or rows. */
export type OpenBlock = {
  type: 'list' | 'table'
  /** The `ul`, `ol` or `tbody` of the block. */
  element: Element
  /** The text that the rest needs in front of it to be parsed as a block: the head of a table. */
  prefix: string
  /** Whether blank lines separate the items of the list. */
  isLoose: boolean
}

/** The finished part of a block that grows: its rendered nodes, which do not change again, and the length of its text. */
export type FinishedPart = Pick<OpenBlock, 'type' | 'prefix' | 'isLoose'> & { token: Token; length: number }

/** @returns `undefined` for a block of which nothing is finished, or which is short */
export function finishedPart(block: Token | undefined): FinishedPart | undefined {
  if (!block || block.raw.length < maxOpen) return undefined
  if (isList(block)) {
    // The last item may grow.
    const items = block.items.slice(0, -1)
    if (items.length === 0) return undefined
    const length = items.reduce((sum, { raw }) => sum + raw.length, 0)
    return { type: 'list', token: { ...block, items }, length, prefix: '', isLoose: block.loose }
  }
  if (!isTable(block)) return undefined
  // The last line may grow. Each row is a line.
  const rows = block.raw.endsWith('\n') ? block.rows : block.rows.slice(0, -1)
  if (rows.length === 0) return undefined
  const lines = block.raw.split('\n').map((line) => `${line}\n`)
  const { length } = lines.slice(0, 2 + rows.length).join('')
  const prefix = lines.slice(0, 2).join('')
  return { type: 'table', token: { ...block, rows }, length, prefix, isLoose: false }
}

/** The element for further items or rows, in the elements of a finished part. */
export function placeOf(content: ParentNode, type: OpenBlock['type']): Element | undefined {
  return content.querySelector(type === 'table' ? 'tbody' : 'ul, ol') ?? undefined
}

/** Gives a list that continues another one its distances between items. */
export function continued(block: Token, { isLoose }: OpenBlock): Token {
  if (!isLoose || !isList(block) || block.loose) return block
  for (const item of block.items) for (const token of item.tokens) if (token.type === 'text') token.type = 'paragraph'
  return block
}

function isList(block: Token): block is Tokens.List {
  return block.type === 'list'
}

function isTable(block: Token): block is Tokens.Table {
  return block.type === 'table'
}
