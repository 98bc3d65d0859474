import { AgentKitError, type JSONSchema, type JSONValue, type ToolSpec } from '@agentkit/core'
import { firstChars } from '@agentkit/core/internal'
import type { Choice } from './choose-tool.ts'
import { type Conversation, introduction } from './conversation.ts'
import { dataOf, describeResult, fieldsOf } from './describe-results.ts'
import { fillArguments, parametersOf } from './fill-arguments.ts'
import { readMessage } from './find-arguments.ts'
import { describeLookup, hasFiles, isFileTool } from './look-up.ts'
import { sentencesOf } from './quote-passages.ts'
import { contentStems } from './words.ts'

const realModel =
  'For a real model, set LLMPROVIDER_API_KEY or OPENAI_API_KEY. Where offline/extractive is the `model`, in code or in ' +
  'agentkit_config.toml, name the real one there.'
const abilities = 'I match the words of a message to tools, fill in what stands there, and quote results'

/** The answer when no tool is called (any more). */
export function writeAnswer(
  conversation: Conversation,
  choice: Choice | undefined,
  tools: readonly ToolSpec[],
): string {
  const { lastAnswer, cuts, unreadable } = conversation
  const before = [
    ...(lastAnswer === undefined ? [introduction] : []),
    ...(cuts.length > 0 ? [cutsText(cuts)] : []),
    ...unreadable.map((part) => `I cannot read ${part} in your message.`),
  ]
  const body = bodyOf(conversation, choice, tools)
  return before.length === 0 ? body : `${before.join(' ')}${body.includes('\n') ? '\n' : ' '}${body}`
}

/** The sentence about parts that were too long to be read completely. */
export function cutsText(cuts: readonly string[]): string {
  return `I read only ${cuts.join(', ')}.`
}

function bodyOf(conversation: Conversation, choice: Choice | undefined, tools: readonly ToolSpec[]): string {
  const { results, question } = conversation
  if (results.length > 0) return describeResults(conversation, tools)
  if (choice && 'missing' in choice) return missingText(choice)
  const mine = tools.length === 0 ? 'I have no tools here.' : `My tools: ${tools.map(({ name }) => name).join(', ')}.`
  if (asksForHelp(question)) return `${abilities}. ${mine} ${realModel}`
  if (isOnly(greeting, question)) return `Hello! ${mine}`
  if (isOnly(thanks, question)) return 'You are welcome.'
  const fact = recall(conversation)
  if (fact !== undefined) return `You said: "${fact}"`
  if (isStatement(question)) return 'I can quote that back later in this conversation.'
  return `I cannot answer that${tools.length === 0 ? '' : ': none of my tools fits it'}. ${abilities}. ${mine} ${realModel}`
}

function describeResults({ results, question }: Conversation, tools: readonly ToolSpec[]): string {
  const files = hasFiles(tools) ? results.filter(isFileTool) : []
  const others = results.filter((one) => !files.includes(one)).map((one) => describeResult(one, question))
  return [...others, ...(files.length > 0 ? [describeLookup(files, question)] : [])].join('\n')
}

/** How a missing argument is asked for; `asksForArgument` knows an answer that did so by these words. */
function missingText({ tool, missing }: Extract<Choice, { missing: unknown }>): string {
  const names = missing.map(({ name, description }) => {
    return `"${firstChars(name, 100)}"${description === '' ? '' : ` (${description.replace(/\.$/, '')})`}`
  })
  return `I would call ${tool}, but your message does not say ${names.join(' or ')}. Please add it.`
}

export function asksForArgument(answer: string): boolean {
  return answer.includes('I would call ') && answer.includes(', but your message does not say ')
}

const greeting = /^\s*(?:hi|hello|hey|good (?:morning|afternoon|evening|day))\b/i
const thanks = /^\s*(?:thanks|thank you|cheers|bye|goodbye|ok|okay)\b/i
const help =
  /^\s*(?:please )?help(?: me)?[.!?]?$|\b(?:who|what) are you\b|^are you (?:an? |real|chatgpt)|\bcan you (?:do|help)\b/i

/** Greetings, thanks and questions about what it can do: none of them calls a tool. */
export function isSmallTalk(text: string): boolean {
  return asksForHelp(text) || isOnly(greeting, text) || isOnly(thanks, text)
}

function isOnly(kind: RegExp, text: string): boolean {
  return kind.test(text) && contentStems(text.replace(kind, '')).length <= 1
}

function asksForHelp(text: string): boolean {
  const isShort = text.length < 100
  return help.test(text) || (isShort && /\b(?:tools|functions)\b/i.test(text) && /\byou(?:rs?)?\b/i.test(text))
}

const factShape =
  /^\s*(?:my |i am |i['’]m |i (?:live|work|like|love|have|prefer|was) |call me |we (?:are|have) |remember |note )/i

/** A fact that the user states: nothing is asked. */
export function isStatement(text: string): boolean {
  return factShape.test(text) && !text.includes('?')
}

/** The earlier statement of the user that answers a question. */
export function recall({ question, earlier }: Conversation): string | undefined {
  const asked = contentStems(question)
  if (asked.length === 0 || !/\b(?:my|i|me|we|our)\b/i.test(question)) return undefined
  const facts = earlier.flatMap(sentencesOf).filter((sentence) => isStatement(sentence))
  return facts.find((sentence) => {
    const said = new Set(contentStems(sentence))
    return asked.filter((word) => said.has(word)).length >= asked.length * 0.6
  })
}

/**
 * An object that follows a JSON Schema, from the results of this turn and the message.
 * @throws AgentKitError `unsupported` when neither has a required value
 */
export function fillOutput(schema: JSONSchema, conversation: Conversation, today: Date): string {
  const { results, question } = conversation
  const fields = results.filter(({ isError }) => !isError).flatMap(({ text }) => fieldsOf(dataOf(text)))
  const known = parametersOf(schema).flatMap(({ name }): [string, JSONValue][] => {
    const field = fields.find(({ path }) => path.at(-1)?.toLowerCase() === name.toLowerCase())
    return field ? [[name, field.value]] : []
  })
  const { input, missing } = fillArguments(schema, readMessage(question, today), new Set(), new Map(known))
  if (missing.length === 0) return JSON.stringify(input)
  const names = missing.map(({ name }) => `"${name}"`).join(', ')
  const message =
    'offline/extractive fills an output schema only with values that stand in the message or in tool results; it found ' +
    `none for ${names}. Give them in the message as "name: value". ${realModel}`
  throw new AgentKitError('unsupported', message, { provider: 'offline', model: 'extractive' })
}
