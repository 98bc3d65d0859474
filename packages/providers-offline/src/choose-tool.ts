import type { Filling } from './fill-arguments.ts'
import { fillArguments } from './fill-arguments.ts'
import type { MessageText } from './message-text.ts'
import { parametersOf } from './parameters.ts'
import { areRelated, relatedStems } from './related-words.ts'
import { isStopWord, stem } from './tokens.ts'
import { isCommonVerb, type ToolWords } from './tool-words.ts'

/** A tool that a message may want, with what it says for it. */
export type Choice = {
  words: ToolWords
  filling: Filling
  /** How much of the message's wording speaks for the tool. */
  evidence: number
  /** The evidence and how well the arguments fit. */
  score: number
  /** A question about a value whose shape the tool's one argument asks for: "Where is 8.8.8.8?" */
  isLookup: boolean
}

/** Evidence from which a tool is called, and from which it is said that an argument is missing. */
const enough = 0.45
const plain = 0.75

/**
 * The tool that a message asks for, by its wording and by how well its arguments can be filled; `undefined` when none
 * is meant. A choice may still miss arguments.
 */
export function chooseTool(message: MessageText, tools: readonly ToolWords[]): Choice | undefined {
  const choices = rankTools(message, tools).filter(isMeant)
  const [best] = choices
  if (!best) return undefined
  // A tool that cannot be filled gives way to one that can and is as plainly meant.
  if (best.filling.missing.length === 0) return best
  const filled = choices.filter(({ filling }) => filling.missing.length === 0)
  return (
    filled.find((choice) => choice.isLookup || isNamedByShape(choice.filling) || choice.score >= best.score * 0.75) ??
    best
  )
}

/** Every tool with its score, the best first. */
export function rankTools(message: MessageText, tools: readonly ToolWords[]): Choice[] {
  return tools.map((words) => weighTool(message, words, tools)).sort((a, b) => b.score - a.score)
}

function isMeant({ evidence, filling, isLookup }: Choice): boolean {
  if (filling.missing.length > 0) return evidence >= plain
  return evidence >= enough || isNamedByShape(filling) || isLookup
}

/** "Who sent 0x5c50…?": an argument of a shape that only this tool asks for. */
function isNamedByShape({ chosen }: Filling): boolean {
  return chosen.some(
    ({ parameter, kind }) => parameter.required && parameter.role === 'id' && (kind === 'hex' || kind === 'uuid'),
  )
}

function isLookup({ text }: MessageText, { chosen, missing }: Filling, { tool }: ToolWords): boolean {
  const [only, ...others] = parametersOf(tool.inputSchema).filter(({ required }) => required)
  if (!only || others.length > 0 || missing.length > 0 || !/^\s*(?:who|what|where|which|is|show|look)\b/i.test(text))
    return false
  const taken = chosen.find(({ parameter }) => parameter.name === only.name)
  return (
    taken !== undefined &&
    only.choices.some(({ format, pattern }) => format ?? pattern) &&
    /^(?:email|url|ip|uuid|hex|code)$/.test(taken.kind)
  )
}

function weighTool(message: MessageText, words: ToolWords, tools: readonly ToolWords[]): Choice {
  const filling = fillArguments(words.tool.inputSchema, message, words)
  const evidence = evidenceFor(message, words, tools, filling)
  const needed = filling.chosen.filter(({ parameter }) => parameter.required)
  const fit = needed.reduce((sum, { isSpecific }) => sum + (isSpecific ? 0.3 : 0.1), 0) - filling.missing.length * 0.4
  const score = evidence.total + Math.max(-0.8, Math.min(0.8, fit))
  return { words, filling, evidence: evidence.total, score, isLookup: isLookup(message, filling, words) }
}

/** Sums what each of the message's words tells of the tool; words that all tools share tell little. */
function evidenceFor(
  message: MessageText,
  words: ToolWords,
  tools: readonly ToolWords[],
  filling: Filling,
): { total: number } {
  const seen = new Set<string>()
  let total = 0
  for (const [word, isArgument] of stemsOfMessage(message, filling)) {
    if (seen.has(word)) continue
    seen.add(word)
    const found = weightOf(word, words)
    if (!found) continue
    // An argument's own words speak for a tool only a little: "Paris" in a description is an example.
    // What is left over for a text may hold the very word that chooses the tool.
    const share = isArgument === 'rest' && found.weight >= 0.5 ? 0.8 : isArgument ? 0.3 : 1
    total += found.weight * rarity(found.word, tools) * share
  }
  return { total: total + coverage(words, seen) }
}

function stemsOfMessage({ words, text, spans }: MessageText, { chosen }: Filling): [string, boolean | 'rest'][] {
  const quoted = spans.filter(({ kind }) => kind === 'quoted' || kind === 'url' || kind === 'email')
  return [
    ...words
      .filter(
        (word) => !isStopWord(word.text) && !quoted.some(({ start, end }) => word.start >= start && word.end <= end),
      )
      .map((word): [string, boolean | 'rest'] => {
        const taken = chosen.find(({ start, end }) => word.start >= start && word.end <= end)
        return [word.stem, taken?.kind === 'rest' ? 'rest' : (taken?.isSpecific ?? false)]
      }),
    ...chosen.filter(({ kind }) => shapes.has(kind)).map(({ kind }): [string, boolean | 'rest'] => [stem(kind), true]),
    ...signs.filter(([sign]) => sign.test(text)).map(([, stem]): [string, boolean | 'rest'] => [stem, false]),
  ]
}

/** Arguments whose shape says what they are: an address stands for the word "url". */
const shapes = new Set<string>(['phone', 'url', 'email', 'ip', 'path', 'uuid'])

/** Signs that say what is wanted as a word would. */
const signs: [RegExp, string][] = [
  [/\d\s*\+\s*\d/, 'add'],
  [/\d\s+[-−]\s+\d/, 'subtract'],
  [/\d\s*[*×]\s*\d|\d\s*x\s*\d/, 'multiply'],
  [/\d\s*[/÷]\s*\d/, 'divid'],
  [/\d\s*(?:[-+*/×÷^]|plus|minus|times|divided by|% of)\s*[\d(]/, 'calcul'],
  [/\bhow many\b/i, 'count'],
  [/\d\s?°/, 'temperatur'],
  [/[$€£¥]\s?\d|\d\s?[$€£¥]/, 'currency'],
  [/\bto [A-Z]{3}\b|\bin [A-Z]{3}\b/, 'convert'],
]

function weightOf(stem: string, { weights }: ToolWords): { word: string; weight: number } | undefined {
  const own = weights.get(stem)
  if (own !== undefined) return { word: stem, weight: own }
  const [best] = relatedStems(stem)
    .flatMap((word) => (weights.has(word) ? [{ word, weight: (weights.get(word) ?? 0) * 0.8 }] : []))
    .sort((a, b) => b.weight - a.weight)
  return best
}

/** 1 for a word of one tool, less for a word of several. */
function rarity(stem: string, tools: readonly ToolWords[]): number {
  const sharing = tools.filter(({ weights }) => (weights.get(stem) ?? 0) >= 0.15).length
  return Math.log(1 + tools.length / Math.max(1, sharing)) / Math.log(1 + tools.length)
}

/** A name that is said whole, or but for a verb such as "get", is plainly meant. */
function coverage({ name }: ToolWords, said: ReadonlySet<string>): number {
  const nouns = [...name].filter((word) => !isCommonVerb(word))
  const telling = nouns.length === 0 ? [...name] : nouns
  if (telling.length === 0) return 0
  const found = telling.filter((word) => [...said].some((stem) => areRelated(stem, word)))
  return (found.length / telling.length) * 0.3
}
