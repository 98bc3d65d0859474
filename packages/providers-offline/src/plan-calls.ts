import type { JSONValue, ToolChoice, ToolSpec } from '@agentkit/core'
import type { Candidate } from './candidate.ts'
import { satisfies } from './check-value.ts'
import { type Choice, chooseTool, rankTools } from './choose-tool.ts'
import { fillArguments, knownArguments } from './fill-arguments.ts'
import { isRefusal } from './message-kind.ts'
import { type MessageText, readText } from './message-text.ts'
import type { Parameter } from './parameters.ts'
import { splitRequests } from './split-requests.ts'
import { type ToolWords, toolWordsOf } from './tool-words.ts'

export type PlannedCall = { name: string; input: { [key: string]: JSONValue } }
export type MissingArguments = { tool: string; parameters: Parameter[] }
/** What a message asks of the tools: calls, and calls that lack something. */
export type Plan = { calls: PlannedCall[]; missing: MissingArguments[] }

/** What the conversation so far may add to a message. */
export type Background = {
  /** Earlier messages of the user, the latest first. */
  earlier: readonly string[]
  /** The calls of earlier turns, the latest first. */
  earlierCalls: readonly PlannedCall[]
  /** What this turn's tools have given, in order. */
  results: readonly JSONValue[]
  today: Date
}

/** Which tools a message asks for, with their arguments, in the order in which it asks. */
export function planCalls(
  text: string,
  tools: readonly ToolSpec[],
  toolChoice: ToolChoice,
  background: Background,
): Plan {
  const words = tools.map(toolWordsOf)
  if (toolChoice === 'none' || words.length === 0) return { calls: [], missing: [] }
  if (typeof toolChoice === 'object') {
    const forced = words.filter(({ tool }) => tool.name === toolChoice.tool)
    return forcedPlan(text, forced, background)
  }
  const plan = isRefusal(text) ? { calls: [], missing: [] } : freePlan(text, words, background)
  if (toolChoice !== 'required' || plan.calls.length > 0) return plan
  return forcedPlan(text, words, background)
}

/** The best tool that can be filled, however little the message says for it. */
function forcedPlan(text: string, tools: readonly ToolWords[], background: Background): Plan {
  const message = readText(text, background.today)
  const ranked = rankTools(message, tools).map((choice) => complete(choice, text, background))
  const filled = ranked.find(({ filling }) => filling.missing.length === 0)
  const [best] = ranked
  if (filled) return { calls: [callOf(filled)], missing: [] }
  return { calls: [], missing: best ? [missingOf(best)] : [] }
}

function freePlan(text: string, tools: readonly ToolWords[], background: Background): Plan {
  const followUp = followUpPlan(text, tools, background)
  if (followUp) return followUp
  const requests = splitRequests(text, tools, background.today)
  const choices = requests.map((request) => ({ request, choice: choiceFor(request, tools, background) }))
  const plans = choices.flatMap(({ request, choice }) => (choice ? [planOf(choice, request, background)] : []))
  return { calls: unique(plans.flatMap(({ calls }) => calls)), missing: plans.flatMap(({ missing }) => missing) }
}

function choiceFor(text: string, tools: readonly ToolWords[], background: Background): Choice | undefined {
  const choice = chooseTool(readText(text, background.today), tools)
  return choice && complete(choice, text, background)
}

function planOf(choice: Choice, request: string, { today }: Background): Plan {
  if (choice.filling.missing.length > 0) return { calls: [], missing: [missingOf(choice)] }
  return { calls: forEachValue(choice, readText(request, today)), missing: [] }
}

function callOf({ words, filling }: Choice): PlannedCall {
  return { name: words.tool.name, input: filling.input }
}

function missingOf({ words, filling }: Choice): MissingArguments {
  return { tool: words.tool.name, parameters: filling.missing }
}

function unique(calls: readonly PlannedCall[]): PlannedCall[] {
  return [...new Map(calls.map((call) => [keyOf(call), call])).values()]
}

/** What makes two calls the same one. */
export function keyOf({ name, input }: { name: string; input: JSONValue }): string {
  return `${name} ${JSON.stringify(sorted(input))}`
}

function sorted(value: JSONValue): JSONValue {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, item]) => [key, sorted(item)]),
  )
}

const valueKinds = new Set([
  'name',
  'code',
  'hex',
  'uuid',
  'quoted',
  'phrase',
  'currency',
  'path',
  'email',
  'url',
  'date',
  'number',
])

/** "the weather in Paris and London" asks twice: once for each value that stands in a row with one taken. */
function forEachValue({ words, filling }: Pick<Choice, 'words' | 'filling'>, message: MessageText): PlannedCall[] {
  const call: PlannedCall = { name: words.tool.name, input: filling.input }
  for (const taken of filling.chosen) {
    if (!valueKinds.has(taken.kind) || !taken.parameter.required) continue
    const others = inARowWith(taken, filling.chosen, message)
    if (others.length === 0) continue
    const more = others.map((text) => knownArguments(words.tool.inputSchema, knownInput(filling.chosen, taken, text)))
    return [
      call,
      ...more.filter(({ missing }) => missing.length === 0).map(({ input }) => ({ name: call.name, input })),
    ]
  }
  return [call]
}

function knownInput(chosen: readonly Candidate[], taken: Candidate, value: JSONValue): Map<string, JSONValue> {
  return new Map(chosen.map((one) => [one.parameter.path.join('.'), one === taken ? value : one.value]))
}

function inARowWith(taken: Candidate, chosen: readonly Candidate[], { spans, text }: MessageText): JSONValue[] {
  const values: JSONValue[] = []
  let end = taken.end
  for (const span of spans) {
    if (span.start < end || span.kind !== taken.kind) continue
    if (
      !/^["'”’`]?\s*(?:,|&|,?\s*\b(?:and|or)\b)\s*(?:the\s+|in\s+|for\s+|of\s+)?["'“‘`]?$/i.test(
        text.slice(end, span.start),
      )
    )
      break
    const isTaken = chosen.some((other) => span.start < other.end && other.start < span.end)
    const value =
      span.kind === 'number' && typeof taken.value === 'number'
        ? (span.number ?? 0)
        : (span.code ?? span.date?.iso ?? span.text)
    if (isTaken || !taken.parameter.choices.some((schema) => satisfies(value, schema))) break
    values.push(value)
    end = span.end
  }
  return values
}

const pointing = /\b(?:it|its|that|this|those|these|them|same|the result|the answer|he|she|him|his|her|there)\b/i

/** Fills what is missing from what the message points at: a result of this turn, or an earlier message. */
function complete(choice: Choice, text: string, { earlier, results, today }: Background): Choice {
  const { words, filling } = choice
  if (filling.missing.length === 0 || !pointing.test(text)) return choice
  const found = new Map(filling.chosen.map((one) => [one.parameter.path.join('.'), one.value]))
  for (const parameter of filling.missing) {
    const value =
      fromResults(parameter, filling.missing.length, results) ?? fromEarlier(parameter, words, earlier, today)
    if (value !== undefined) found.set(parameter.path.join('.'), value)
  }
  return { ...choice, filling: { ...knownArguments(words.tool.inputSchema, found), chosen: filling.chosen } }
}

/** A field of the parameter's name, or the one plain result for the one open parameter. */
function fromResults(parameter: Parameter, open: number, results: readonly JSONValue[]): JSONValue | undefined {
  const fits = (value: JSONValue): JSONValue | undefined => {
    const spellings = [value, ...(typeof value === 'number' || typeof value === 'boolean' ? [String(value)] : [])]
    return spellings.find((spelling) => parameter.choices.some((schema) => satisfies(spelling, schema)))
  }
  for (const result of results.toReversed()) {
    if (typeof result === 'object' && result !== null && !Array.isArray(result)) {
      const named = Object.entries(result).find(([key]) => key.toLowerCase() === parameter.name.toLowerCase())
      const value = named?.[1] ?? null
      if (value !== null && fits(value) !== undefined) return fits(value)
    } else if (open === 1 && result !== null && !Array.isArray(result) && fits(result) !== undefined) {
      return fits(result)
    }
  }
  return undefined
}

/** A value that an earlier message of the user gives for sure. */
function fromEarlier(
  parameter: Parameter,
  words: ToolWords,
  earlier: readonly string[],
  today: Date,
): JSONValue | undefined {
  for (const text of earlier) {
    const { chosen } = fillArguments(words.tool.inputSchema, readText(text, today), words)
    const found = chosen.find((one) => one.parameter.path.join('.') === parameter.path.join('.') && one.kind !== 'rest')
    if (found && (found.isSpecific || found.score >= 0.7)) return found.value
  }
  return undefined
}

/** "And in London?" asks again what was asked before, with another value. */
function followUpPlan(
  text: string,
  tools: readonly ToolWords[],
  { earlierCalls, today }: Background,
): Plan | undefined {
  const [last] = earlierCalls
  const begins = /^\s*(?:and|what about|how about|now|same for|or)\b[\s,]*/i.exec(text)
  const words = tools.find(({ tool }) => tool.name === last?.name)
  if (!last || !begins || !words) return undefined
  const message = readText(text, today)
  if (message.words.length > 9 || chooseTool(message, tools)?.filling.missing.length === 0) return undefined
  const filling = fillArguments(words.tool.inputSchema, message, words)
  const isNew = filling.chosen.some(
    ({ kind, score, parameter }) =>
      (kind !== 'rest' || message.words.length <= 4) && (score >= 0.6 || parameter.required),
  )
  if (!isNew) return undefined
  const asked =
    filling.missing.length === 0
      ? forEachValue({ words, filling }, message)
      : [{ name: last.name, input: filling.input }]
  const calls = asked.map(({ name, input }) => ({ name, input: { ...last.input, ...input } }))
  return calls.every(({ input }) => satisfies(input, words.tool.inputSchema)) ? { calls, missing: [] } : undefined
}
