import { AgentKitError } from '../data/errors.ts'
import type { AssistantMessage, Message } from '../data/message.ts'
import { messageProblem } from '../data/message-problem.ts'
import { toolCalls, validateTranscript } from '../data/transcript.ts'
import { measureJSON } from '../util/measure-json.ts'
import type { Hooks } from './hooks.ts'

/**
 * Checks what a hook returned in the place of what it was given: it goes to models and into history.
 * @throws AgentKitError `invalid-config` when it cannot be used, with the fix
 */
export function checkHookResult(name: keyof Hooks, result: unknown): void {
  const { isUsable } = rules[name]
  const isObject = typeof result === 'object' && result !== null
  if (isObject && isUsable(result) && (name === 'afterTool' || isJSON(result))) return
  throw unusableResult(name)
}

/** @param cause what looking at the result threw: it may be a proxy */
export function unusableResult(name: keyof Hooks, cause?: unknown): AgentKitError {
  const { wanted } = rules[name]
  const message = `The hook \`${name}\` returned what cannot be used. Return ${wanted}, { block: "why" }, or nothing.`
  return new AgentKitError('invalid-config', message, cause === undefined ? {} : { cause })
}

/** As deep as a schema within a request may stand, and more than any conversation holds. */
const bounds = { depth: 1_000, values: 10_000_000 }

function isJSON(value: object): boolean {
  return measureJSON(value, bounds).problem === undefined
}

const rules: Record<keyof Hooks, { wanted: string; isUsable(result: object): boolean }> = {
  input: {
    wanted: 'a message of the user that is not empty',
    isUsable: (message) => isMessage(message) && message.role === 'user' && message.content.length > 0,
  },
  beforeModel: {
    wanted: 'a request whose messages are a valid transcript',
    isUsable: (request) => 'messages' in request && isTranscript(request.messages),
  },
  afterModel: {
    wanted: 'a message of the assistant whose tool calls have ids of their own',
    isUsable: (message) => isMessage(message) && message.role === 'assistant' && hasUniqueCalls(message),
  },
  beforeTool: {
    wanted: 'the call with another `input`',
    isUsable: (call) => 'input' in call,
  },
  afterTool: {
    wanted: 'the outcome with another `output` or `isError`',
    isUsable: (outcome) => 'output' in outcome && 'isError' in outcome && typeof outcome.isError === 'boolean',
  },
  output: {
    wanted: 'the answer with another `text`',
    isUsable: (answer) => 'text' in answer && typeof answer.text === 'string',
  },
}

function isTranscript(messages: unknown): boolean {
  return validateTranscript(messages as readonly Message[]).length === 0 // which checks what it is given
}

function isMessage(value: unknown): value is Message {
  return messageProblem(value) === undefined
}

function hasUniqueCalls(message: AssistantMessage): boolean {
  const ids = toolCalls(message).map(({ callId }) => callId)
  return new Set(ids).size === ids.length && !ids.includes('')
}
