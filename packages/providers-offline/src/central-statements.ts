import { type Statement, statementsOf } from './statements.ts'
import { contentStems } from './tokens.ts'

/** The statements that share most with the rest of a text, in its order: what it is about, word for word. */
export function centralStatements(text: string, most: number): string[] {
  const all = statementsOf(text)
  const stems = all.map((one) => new Set(contentStems(one.text)))
  const counts = new Map<string, number>()
  for (const own of stems) for (const word of own) counts.set(word, (counts.get(word) ?? 0) + 1)
  const scored = all.map((statement, order) => {
    const own = [...(stems[order] ?? [])]
    const shared = own.reduce((sum, word) => sum + Math.log(counts.get(word) ?? 1), 0)
    // What comes early says what a text is about.
    const early = 1 + 2 / (1 + order)
    // An answer tells little without its question.
    const text = statement.lead.endsWith('?') ? `${statement.lead} ${statement.text}` : statement.text
    return { text, order, score: (1 + shared / Math.sqrt(1 + own.length)) * early * fitness(statement) }
  })
  return scored
    .sort((a, b) => b.score - a.score)
    .slice(0, most)
    .sort((a, b) => a.order - b.order)
    .map((one) => one.text)
}

/** Whole sentences of a readable length tell most. */
function fitness({ text }: Statement): number {
  if (text.length > 300) return 0.3
  const isSentence = /[.!]$/.test(text) && text.length >= 30
  return isSentence ? 1 : 0.4
}
