import { firstChars } from '@agentkit/core/internal'
import { contentStems, relatedStems, stemsOf } from './words.ts'

/** A text, and its place: `handbook.pdf, page 3, "Holidays"`. */
export type Passage = { place: string; text: string }

/** A sentence, list item or row, its heading, and the question or "These are:" that it follows. */
export type Statement = { text: string; heading: string; lead: string }

type Scored = Statement & { place: string; rank: number; share: number; hasWord: boolean; score: number }

/** The share of the words looked for from which a statement answers; below it is the nearest one. */
const enough = 0.4
const [longestQuote, mostItems, mostStatements] = [600, 6, 1_000] as const

/** The statements that answer best, word for word, each with its place; `undefined` when they share no word. */
export function quotePassages(question: string, query: string, passages: readonly Passage[]): string | undefined {
  const [best, second] = rankStatements(question, query, passages)
  if (!best) return undefined
  if (best.share < enough) return `I found no plain answer in the files; this comes nearest: ${quoted(best, passages)}`
  const isAsGood = second?.hasWord && second.share >= enough && second.score >= best.score * 0.9
  const quotes = [best, ...(isAsGood ? [second] : [])].map((one) => quoted(one, passages))
  return [...new Set(quotes)].join(' ')
}

/** A statement as a quote; with it the list that it announces, and all of the answer to a question of the text. */
function quoted({ text, lead, place, rank }: Scored, passages: readonly Passage[]): string {
  const head = text.endsWith(':') ? text : lead.endsWith('?') ? lead : undefined
  const all = head === undefined ? [] : statementsOf(passages[rank]?.text ?? '')
  const following = all.filter((one) => one.lead === head)
  const others = following.slice(0, mostItems).map((one) => one.text)
  const isList = text.endsWith(':')
  const whole = others.length === 0 ? text : isList ? `${text} ${others.join('; ')}` : others.join(' ')
  return `"${whole.length > longestQuote ? `${firstChars(whole, longestQuote)}…` : whole}" (${place})`
}

/** Every statement that shares a word with the query, in its own text or in its headings, the best first. */
function rankStatements(question: string, query: string, passages: readonly Passage[]): Scored[] {
  const asked = [...new Set(contentStems(query))]
  // Synonyms count as one word.
  const wanted = asked.filter((word, at) => !asked.slice(0, at).some((one) => relatedStems(one).includes(word)))
  const all = passages
    .flatMap(({ place, text }, rank) => statementsOf(text).map((one, order) => ({ ...one, place, rank, order })))
    .slice(0, mostStatements)
  const own = all.map(({ text }) => new Set(stemsOf(text)))
  const above = all.map(({ heading, lead, place }) => new Set(stemsOf(`${heading} ${lead} ${place}`)))
  const weights = wanted.map((word) => {
    const having = all.filter((_, at) => own[at]?.has(word) || above[at]?.has(word)).length
    return Math.log(1 + all.length / (0.5 + having))
  })
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  const scored = all.map(({ order, ...one }, at): Scored => {
    const [words, heads] = [own[at] ?? new Set<string>(), above[at] ?? new Set<string>()]
    const hits = wanted.map((word) => Math.max(likeness(word, words), likeness(word, heads) * 0.75))
    const share = hits.reduce((sum, hit, index) => sum + hit * (weights[index] ?? 0), 0) / (total || 1)
    const hasWord = wanted.some((word) => words.has(word) || heads.has(word))
    const bonus = kindBonus(question, one.text) + 0.1 / (1 + one.rank) + 0.05 / (1 + order)
    return { ...one, share, hasWord, score: share + bonus - (words.size < 3 ? 0.15 : 0) }
  })
  return scored
    .filter(({ share, hasWord }) => share > 0 && (hasWord || share >= enough))
    .sort((a, b) => b.score - a.score)
}

function likeness(word: string, others: ReadonlySet<string>): number {
  if (others.has(word)) return 1
  return relatedStems(word).some((one) => others.has(one)) ? 0.7 : 0
}

/** How much a statement is of the kind that is asked for: "how many" by a number, "who" by a name. */
function kindBonus(question: string, text: string): number {
  const isNumber = /\bhow (?:many|much|long|far|old|often)\b|\bwhen\b|\bwhat time\b/i.test(question)
  if (isNumber) return /\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|twelve)\b/i.test(text) ? 0.15 : 0
  return /\bwh(?:o|ere)\b/i.test(question) && /\p{Lu}/u.test(text.slice(1)) ? 0.1 : 0
}

const item = /^\s*(?:[-*+•]|\d{1,3}[.)])\s+/

/** The statements of a text, in order, without its headings and questions. */
export function statementsOf(text: string): Statement[] {
  const statements: Statement[] = []
  let [heading, lead] = ['', '']
  /** Whether the heading has no text below it: then it is a statement, not a heading. */
  let isBare = false
  const add = (sentence: string): void => {
    const plain = sentence.replaceAll('**', '').replaceAll('`', '').trim()
    if (!plain.endsWith('?') && /[\p{L}\p{N}]/u.test(plain)) statements.push({ text: plain, heading, lead })
    isBare = false
    if (plain.endsWith('?') || plain.endsWith(':')) lead = plain
  }
  const addLine = (line: string, lines: number): void => {
    if (!isHeading(line, lines)) {
      for (const sentence of sentencesOf(line.replace(item, ''))) add(sentence)
      return
    }
    if (isBare) add(heading)
    ;[heading, lead] = [line.replace(/^#{1,6} /, ''), '']
    isBare = !line.startsWith('#')
  }
  for (const block of blocksOf(text)) {
    // A list belongs to the line above it, and the first paragraph to a question.
    const isFirst = lead.endsWith('?') && statements.at(-1)?.lead !== lead
    if (!isFirst && !block.every((line) => item.test(line))) lead = ''
    if (block.every((line) => line.startsWith('|'))) for (const row of tableRows(block)) add(row)
    else if (block.length > 1 && block.every(isField)) add(block.join(', '))
    else for (const line of unwrapped(block)) addLine(line, block.length)
    if (statements.length > mostStatements) break
  }
  if (isBare || statements.length === 0) add(heading)
  return statements
}

/** Lines between empty lines. */
function blocksOf(text: string): string[][] {
  const blocks = text.split('\n').map((line) => line.trimEnd())
  return blocks
    .join('\n')
    .split(/\n{2,}/, mostStatements)
    .map((block) => block.split('\n').filter((line) => line !== ''))
}

/** A row of a CSV file has a line for each field. */
function isField(line: string): boolean {
  const colon = line.indexOf(':')
  return colon > 0 && colon <= 60
}

/** A short line of its own without an end. */
function isHeading(line: string, lines: number): boolean {
  if (/^#{1,6} /.test(line)) return true
  return lines === 1 && !item.test(line) && line.length <= 60 && !/[.!?:;,]$|\d{3}|: /.test(line)
}

/** Lines that were broken for their length, whole again. */
function unwrapped(lines: readonly string[]): string[] {
  const whole: string[] = []
  let last = ''
  for (const line of lines) {
    const isStart = item.test(line) || line.startsWith('#')
    const isOpen = whole.length > 0 && !/[.!?:;]$/.test(last) && !last.startsWith('#')
    if (isOpen && !isStart && (last.length >= 45 || /^\s*\p{Ll}/u.test(line)))
      whole[whole.length - 1] += ` ${line.trim()}`
    else whole.push(line.trim())
    last = line
  }
  return whole
}

/** Each row of a Markdown table with the names of its columns: `Topic: Salaries, Phone: 555-0142`. */
function tableRows(lines: readonly string[]): string[] {
  const rows = lines.map((line) => line.split('|').slice(1, -1))
  const hasHead = rows[1]?.every((cell) => /^ ?:?-+:? ?$/.test(cell)) ?? false
  const [head = []] = hasHead ? rows : []
  const labelled = (cell: string, name = ''): string => (name === '' ? cell : `${name}: ${cell}`)
  const body = rows.slice(hasHead ? 2 : 0)
  return body.map((cells) => cells.map((cell, index) => labelled(cell.trim(), head[index]?.trim())).join(', '))
}

export function sentencesOf(text: string): string[] {
  return text.split(/(?<=[.!?]["”)]?)(?<!\b(?:Mr|Mrs|Ms|Dr|Prof|St)\.)\s+(?=["“(]?[\p{Lu}\p{N}])|(?<=[。！？])/u)
}
