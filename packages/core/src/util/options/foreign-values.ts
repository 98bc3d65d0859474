import { isRecord } from '../../data/message-problem.ts'

/**
 * What an object is that was passed as a model, with the way to get a model from it; `undefined` for a model, and for what
 * no library makes.
 */
export function foreignModel(value: unknown): string | undefined {
  const has = (name: string): boolean => typeof Object(value)[name] === 'function'
  if (has('invoke') && has('bindTools')) return `this is a model of LangChain. ${byName}`
  if (has('stream')) return undefined
  if (has('doGenerate') || has('doStream')) {
    return 'this is a model of the AI SDK. Pass `fromAISDK(model)` of @agentkit/ai-sdk'
  }
  if (has('getResponse')) return `this is a model of OpenAI Agents. ${byName}`
  if (has('model') || has('languageModel')) return `this is a provider, not one of its models. ${byFactory}`
  if (has('withOptions')) {
    return 'this is the client of an SDK. Pass a model that uses it: openai({ client }).model("gpt-5.4-mini")'
  }
  if (typeof value === 'function') return `this is a function. ${byFactory}`
  return undefined
}

const byFactory = 'Pass what it makes: openai().model("gpt-5.4-mini")'
const byName = 'Pass one by its name, openai().model("gpt-5.4-mini")'

/**
 * What was passed to `chat()` or `stream()` in place of a question, with the way to pass it; `undefined` for a text, for a
 * list of parts, and for nothing.
 */
export function foreignInput(input: unknown): string | undefined {
  if (typeof input === 'string' || input === undefined || input === null) return undefined
  if (Array.isArray(input)) {
    if (!input.some((item) => isRecord(item) && 'role' in item)) return undefined
    return `These are messages. ${asHistory}`
  }
  if (!isRecord(input)) return `The message is a text or a list of parts, not of type ${typeof input}.`
  const word = ['prompt', 'input', 'question', 'text', 'content'].find((name) => name in input)
  if (word !== undefined) return `\`${word}\` is the first argument itself here: agent.chat("…", { sessionId }).`
  if ('messages' in input) return `\`messages\` is the first argument here. ${asHistory}`
  return 'The message is a text or a list of parts, not an object.'
}

const asHistory = 'Pass the last one as the question, earlier ones as `history`: agent.chat("…", { history }).'
