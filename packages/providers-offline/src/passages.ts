import { areRelated } from './related-words.ts'
import { contentStems, stemsOf } from './tokens.ts'

/** A message apart: what it asks, and the passages that it gives to answer from. */
export type Asked = { question: string; passages: string[] }

const block = /```(?:[a-z]*\n)?([\s\S]+?)```|"""([\s\S]+?)"""|<(\w+)>([\s\S]+?)<\/\3>/g
const longQuote = /["“]([^"“”]{40,})["”]/g
const label =
  /(?:^|[\n.!?:]\s*|\b(?:this|following|the)\s+)(?:text|passage|context|document|article|paragraph|excerpt|notes?|source|background)\s*:\s*/i
const questionLabel = /(?:^|\n)\s*(?:question|q)\s*:\s*/i

/** Finds the passages of a message: fenced or tagged blocks, long quotations, what follows "text:", long paragraphs. */
export function splitPassages(message: string): Asked {
  const passages: string[] = []
  const take = (passage: string | undefined): string => {
    if (passage !== undefined) passages.push(passage.trim())
    return ' '
  }
  let question = message.replace(block, (...groups) => take(groups[1] ?? groups[2] ?? groups[4]))
  question = question.replace(longQuote, (whole, passage: string) => (/[.!?]/.test(passage) ? take(passage) : whole))
  const labelled = label.exec(question)
  if (labelled) {
    const start = labelled.index + labelled[0].length
    const asked = questionLabel.exec(question.slice(start))
    const end = asked ? start + asked.index : lastQuestion(question, start)
    const passage = question.slice(start, end)
    if (passage.trim().length >= 20) {
      take(passage)
      question = `${question.slice(0, labelled.index)} ${question.slice(end)}`
    }
  }
  question = question.replace(questionLabel, '\n')
  const paragraphs = question.split(/\n\s*\n/).filter((paragraph) => paragraph.trim() !== '')
  if (paragraphs.length > 1 && passages.length === 0) {
    const asks = paragraphs.filter((paragraph) => /\?\s*$/.test(paragraph) && paragraph.length < 300)
    if (asks.length === 1) {
      passages.push(...paragraphs.filter((paragraph) => !asks.includes(paragraph)).map((paragraph) => paragraph.trim()))
      question = asks[0] ?? question
    }
  }
  return { question: question.replace(/[ \t]+/g, ' ').trim(), passages }
}

/** Where the last paragraph begins when it is a question; else the end. */
function lastQuestion(text: string, start: number): number {
  const found = /\n\s*\n?[^\n]{3,300}\?\s*$/.exec(text.slice(start))
  return found ? start + found.index : text.length
}

/** A sentence of a passage, word for word. */
export type Quote = { sentence: string; passage: number }

/** Words that say where to look, not what for. */
const instructions = new Set(
  stemsOf(
    'answer passage text following question according based given read article document context paragraph above below say sentence quote',
  ),
)
const sentences = new Intl.Segmenter('en', { granularity: 'sentence' })
/** More sentences than these are not searched. */
const mostSentences = 2_000

/**
 * The sentences that answer a question best, at most two, verbatim; none where nothing in them speaks of it.
 *
 * @param least how much of the question's words must be there, from 0 to 1
 */
export function bestSentences(question: string, passages: readonly string[], least = 0.5): Quote[] {
  const asked = [...new Set(contentStems(question))].filter((word) => !instructions.has(word))
  const all = passages
    .flatMap((passage, index) => sentencesOf(passage).map((sentence): Quote => ({ sentence, passage: index })))
    .slice(0, mostSentences)
  if (asked.length === 0 || all.length === 0) return []
  const stems = all.map(({ sentence }) => new Set(stemsOf(sentence)))
  const weights = asked.map((word) => Math.log(1 + all.length / (0.5 + stems.filter((own) => own.has(word)).length)))
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  const scored = all
    .map((quote, index) => {
      const own = [...(stems[index] ?? [])]
      const hits = asked.map((word) =>
        own.includes(word) ? 1 : own.some((other) => areRelated(word, other)) ? 0.7 : 0,
      )
      const share = hits.reduce((sum: number, hit, at) => sum + hit * (weights[at] ?? 0), 0) / total
      return { quote, share, count: hits.filter((hit) => hit > 0).length, bonus: answersKind(question, quote.sentence) }
    })
    .filter(({ share, count, quote }) => !quote.sentence.endsWith('?') && (share >= least || count >= 3))
    .sort((a, b) => b.share + b.bonus - (a.share + a.bonus))
  const [best, second] = scored
  if (!best) return []
  const isAsGood = second !== undefined && second.share + second.bonus >= (best.share + best.bonus) * 0.95
  return isAsGood ? [best.quote, second.quote] : [best.quote]
}

/** How much a sentence is of the kind that is asked for: "when" is answered by a date or year, "how many" by a number, "who" by a name. */
export function answersKind(question: string, sentence: string): number {
  const inside = sentence.slice(1)
  if (/\bwhen\b|\bwhat (?:year|date|day|time)\b/i.test(question)) return /\d/.test(sentence) ? 0.15 : 0
  if (/\bhow (?:many|much|long|far|old|tall|big|often)\b/i.test(question))
    return /\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|once|twice)\b/i.test(sentence) ? 0.15 : 0
  if (/\bwhy\b/i.test(question)) return /\bbecause|since|due to|so that\b/i.test(sentence) ? 0.2 : 0
  return /\bwho\b|\bwhere\b/i.test(question) && /\p{Lu}\p{L}+/u.test(inside) ? 0.1 : 0
}

/** The sentences of a text, line by line. */
export function sentencesOf(passage: string): string[] {
  return passage
    .split(/\n+/, mostSentences)
    .flatMap((line) => Array.from(sentences.segment(line), ({ segment }) => segment.trim()))
    .filter((sentence) => /[\p{L}\p{N}]/u.test(sentence))
}
