import { type Filling, fillArguments } from './fill-arguments.ts'
import { contradicts, isLookup } from './is-lookup.ts'
import type { MessageText } from './message-text.ts'
import { parametersOf } from './parameters.ts'
import type { ToolWords } from './tool-words.ts'
import { type Evidence, rarityAmong, signsOf, weighEvidence } from './weigh-evidence.ts'

/** A tool that a message may want, with what it says for it. */
export type Choice = {
  words: ToolWords
  filling: Filling
  evidence: Evidence
  /** The evidence and how well the arguments fit. */
  score: number
  /** A question about a value that by its shape is this tool's: "Where is 8.8.8.8?" */
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
  const choices = rankTools(message, tools).filter((choice) => isMeant(choice) && !contradicts(message, choice.words))
  const [best] = choices
  if (!best) return undefined
  // A tool that cannot be filled gives way to one that can and is as plainly meant.
  if (best.filling.missing.length === 0) return best
  const filled = choices.filter(({ filling }) => filling.missing.length === 0)
  return filled.find((choice) => choice.isLookup || choice.score >= best.score * 0.75) ?? best
}

/** Every tool with its score, the best first. */
export function rankTools(message: MessageText, tools: readonly ToolWords[]): Choice[] {
  const signs = signsOf(message)
  const rarity = rarityAmong(tools)
  const weigh = (words: ToolWords): Choice => {
    const filling = fillArguments(words.tool.inputSchema, message, words)
    const evidence = weighEvidence(message, words, filling, signs, rarity)
    const score = evidence.total + fitOf(filling)
    return { words, filling, evidence, score, isLookup: isLookup(message, filling, words.tool) }
  }
  return tools.map(weigh).sort((a, b) => b.score - a.score)
}

function isMeant({ words, evidence, filling, isLookup }: Choice): boolean {
  // "Write a story about a transaction" is about something else, whatever word it shares with a tool.
  if (filling.missing.length > 0) return evidence.total >= plain && evidence.explained > evidence.unexplained
  return isLookup || (evidence.total >= enough && !changesNothing(words, filling))
}

/** "Set the lamp on fire" gives a tool that changes something the thing, and nothing to change about it. */
function changesNothing({ tool }: ToolWords, { chosen }: Filling): boolean {
  return (
    /^(?:set|update|change|edit|adjust)/i.test(tool.name) &&
    chosen.length === 1 &&
    parametersOf(tool.inputSchema).length > 1
  )
}

/** How well the arguments fit, from -0.8 to 0.8. */
function fitOf({ chosen, missing }: Filling): number {
  const needed = chosen.filter(({ parameter }) => parameter.required)
  const fit = needed.reduce((sum, { isSpecific }) => sum + (isSpecific ? 0.3 : 0.1), 0) - missing.length * 0.4
  return Math.max(-0.8, Math.min(0.8, fit))
}
