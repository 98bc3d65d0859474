import type { ToolChoice, ToolSpec } from '@agentkit/core'
import type { Input } from './conversation.ts'
import { type Filling, fillArguments, parametersOf } from './fill-arguments.ts'
import type { MessageText, Parameter } from './find-arguments.ts'
import { contentWords, isStopWord, relatedStems, stemsOf } from './words.ts'

export type PlannedCall = { name: string; input: Input }
/** A call, or the tool that lacks arguments. */
export type Choice = { call: PlannedCall } | { tool: string; missing: Parameter[] }

type Scored = { tool: ToolSpec; filling: Filling; evidence: number; score: number; isPlain: boolean }

/** Evidence from which a tool is called, and from which it is said that an argument is missing. */
const enough = 0.5
const plain = 0.75
/** The limits of the tools and of the characters of a description that are read. */
const [mostTools, longestDescription] = [128, 1_000] as const

/** The tool that a message asks for by its words and arguments; `undefined` when none is meant. */
export function chooseTool(message: MessageText, tools: readonly ToolSpec[], wanted: ToolChoice): Choice | undefined {
  const some = tools.slice(0, mostTools)
  const scored = some.map((tool) => scoreTool(tool, message)).sort((a, b) => b.score - a.score)
  const isFilled = ({ filling }: Scored): boolean => filling.missing.length === 0
  const meant = scored.filter((one) => one.evidence >= enough && (isFilled(one) || one.isPlain))
  const forced = wanted === 'required' && !meant.some(isFilled) ? (scored.find(isFilled) ?? scored[0]) : undefined
  const named = typeof wanted === 'object' ? scored.filter(({ tool }) => tool.name === wanted.tool) : meant
  const best = forced ?? named[0]
  if (!best) return undefined
  const { tool, filling } = best
  return isFilled(best)
    ? { call: { name: tool.name, input: filling.input } }
    : { tool: tool.name, missing: filling.missing }
}

/** How much the words of the message, and the arguments that are found in it, say for a tool. */
function scoreTool(tool: ToolSpec, message: MessageText): Scored {
  const weights = weightsOf(tool)
  const filling = fillArguments(tool.inputSchema, message, new Set(weights.keys()))
  const certain = filling.chosen.filter(({ isCertain }) => isCertain)
  // A task is the whole message, and its words still choose the tool.
  const places = filling.chosen.map(({ place }) => place).filter(({ start, end }) => end - start < message.text.length)
  let evidence = Math.min(1, certain.length * 0.5)
  let known = 0
  let unknown = 0
  for (const [stem, word] of new Map(contentWords(message.text).map((word) => [word.stem, word]))) {
    const isArgument = places.some(({ start, end }) => start <= word.start && word.end <= end)
    const weight = weightOf(stem, weights)
    evidence += weight * (isArgument ? 0.3 : 1)
    if (weight > 0) known++
    else if (!isArgument && !/\d/.test(word.text)) unknown++
  }
  const score = evidence + filling.chosen.length * 0.2 - filling.missing.length * 0.4
  return { tool, filling, evidence, score, isPlain: evidence >= plain && known > unknown }
}

/** The weight of each word of a tool; words of its name weigh most. */
function weightsOf({ name, description, inputSchema }: ToolSpec): Map<string, number> {
  const weights = new Map<string, number>()
  const weigh = (words: readonly string[], weight: number): void => {
    for (const word of words) if (!isStopWord(word) && !weights.has(word)) weights.set(word, weight)
  }
  weigh(stemsOf(name), 1)
  weigh(stemsOf(description.slice(0, longestDescription)), 0.5)
  for (const { words } of parametersOf(inputSchema)) weigh(words, 0.3)
  return weights
}

function weightOf(stem: string, weights: ReadonlyMap<string, number>): number {
  return weights.get(stem) ?? Math.max(0, ...relatedStems(stem).map((word) => (weights.get(word) ?? 0) * 0.8))
}
