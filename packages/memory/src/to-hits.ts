import type { MemoryHit, RememberedTurn } from '@agentkit/core'
import { eachWord, queryWords } from '@agentkit/retriever/internal'
import { limits } from './limits.ts'
import type { FoundBlock } from './turn-index.ts'
import { turnText } from './turn-text.ts'

/** A part of a turn's text, by its offsets, and the weight of the words of the query in it. */
type Passage = { start: number; end: number; weight: number }

/** Each block as a hit, which cites the passage that has most of the query. */
export function toHits(query: string, found: readonly FoundBlock[]): MemoryHit[] {
  const wanted = new Set(queryWords(query).flatMap(({ forms }) => forms.map(({ term }) => term)))
  const termsOf = (text: string): Set<string> => {
    const terms = new Set<string>()
    eachWord(text, (word) => {
      for (const term of word.terms) if (wanted.has(term)) terms.add(term)
    })
    return terms
  }
  const turns = found.flatMap((block) => block.turns.map((turn) => ({ turn, text: turnText(turn) })))
  const terms = new Map(turns.map(({ turn, text }) => [turn, termsOf(text)]))
  // A word that every turn has says little about any of them.
  const weightOf = (term: string): number => {
    const having = [...terms.values()].filter((own) => own.has(term)).length
    return Math.log(1 + turns.length / Math.max(having, 1))
  }
  const weights = new Map([...wanted].map((term) => [term, weightOf(term)]))
  const weigh = (own: ReadonlySet<string>): number => {
    let weight = 0
    for (const term of own) weight += weights.get(term) ?? 0
    return weight
  }
  return found.map(({ turns: block, score }) => {
    const [first, ...others] = block
    let best = first as RememberedTurn // a block has turns
    for (const turn of others) if (weigh(terms.get(turn) ?? none) > weigh(terms.get(best) ?? none)) best = turn
    const text = turnText(best)
    const { start, end } = bestPassage(text, (part) => weigh(termsOf(part)))
    const { sessionId, runId, at } = best
    return {
      file: `session/${sessionId}`,
      start,
      end,
      quote: text.slice(start, end),
      chunkId: `${runId}:${start}`,
      session: { sessionId, runId, at: new Date(at).toISOString() },
      score: { text: score, fused: score },
      text: shown(block, best, text.slice(start, end)),
    }
  })
}

const none: ReadonlySet<string> = new Set()

/** The first of the sentences and lines, together no longer than a quote, that have most of the query. */
function bestPassage(text: string, weigh: (part: string) => number): Passage {
  const parts = partsOf(text)
  const weighed = parts.map((part) => ({ ...part, weight: weigh(text.slice(part.start, part.end)) }))
  let best: Passage = { start: 0, end: Math.min(text.length, limits.quoteChars), weight: -1 }
  for (const [place, { start }] of weighed.entries()) {
    let end = start
    let weight = 0
    // By index: a copy of the rest for each part takes time by the square of their number.
    for (let index = place; index < weighed.length; index++) {
      const part = weighed[index] as Passage // below its length
      if (part.end - start > limits.quoteChars) break
      end = part.end
      weight += part.weight
    }
    if (weight > best.weight) best = { start, end, weight }
  }
  return best
}

/** Sentences and lines, none longer than a quote. */
function partsOf(text: string): { start: number; end: number }[] {
  const parts: { start: number; end: number }[] = []
  // The pattern ends with one mark: from each mark of a long run, `+` would read the rest of the run again.
  for (const { index: start, 0: line } of text.matchAll(/[^\n]+?(?:[.!?。](?=\s)|(?=\n)|$)/g)) {
    for (let from = 0; from < line.length; ) {
      let to = Math.min(line.length, from + limits.quoteChars)
      // Never between the two units of a character.
      if (to < line.length && /[\udc00-\udfff]/.test(line[to] ?? '')) to--
      const lead = line.slice(from, to).search(/\S/)
      if (lead >= 0) parts.push({ start: start + from + lead, end: start + to })
      from = to
    }
  }
  return parts
}

/** A block as the model receives it: whole where it is short, otherwise the quote with the beginnings of the messages. */
function shown(block: readonly RememberedTurn[], best: RememberedTurn, quote: string): string {
  const written = block.flatMap(({ messages }) => messages)
  const whole = written.map(({ role, text }) => `${role}: ${text}`).join('\n')
  if (whole.length <= limits.shownChars) return whole
  const room = Math.floor((limits.shownChars - quote.length) / written.length)
  const beginnings = block.flatMap((turn) => {
    const lines = turn.messages.map(({ role, text }) => cut(`${role}: ${text}`, room))
    return turn === best ? [...lines, `… ${quote} …`] : lines
  })
  return beginnings.join('\n')
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, Math.max(0, length - 1)).toWellFormed()}…`
}
