import { limits } from '../limits.ts'
import { isTooLong } from './check-id.ts'
import type { AssistantPart, Message, UserPart } from './message.ts'

/**
 * Why a value is not a valid message, as part of a sentence; `undefined` for a valid one.
 *
 * @example
 * messageProblem({ role: 'user' }) // '`content` of role "user" is a text or a list of parts'
 */
export function messageProblem(value: unknown): string | undefined {
  if (!isRecord(value)) return 'a message is an object of `role` and `content`'
  const { role, content, v } = value
  if (v !== undefined && v !== 1) return '`v`, the version of a message, is 1 or absent'
  if (!isRole(role)) return `\`role\` is one of ${Object.keys(roles).join(', ')}`
  const { parts, takesText, fields = [] } = roles[role]
  const missing = fields.find((name) => typeof value[name] !== 'string')
  if (missing !== undefined) return `a message of role "${role}" needs \`${missing}\`, a text`
  if (role === 'tool' && isTooLong(String(value.callId))) return longCallId
  if (role === 'tool' && !isOptional(value.isError, 'boolean')) return '`isError` is true, false or absent'
  if (role === 'tool' && !isOptional(value.kept, 'boolean')) return '`kept` is true, false or absent'
  if (role === 'assistant' && !isOptional(value.model, 'string')) return '`model` is a text or absent'
  if (typeof content === 'string' && takesText) return undefined
  if (Array.isArray(content) && parts.length > 0) return firstProblem(content, parts)
  const wanted = [takesText && 'a text', parts.length > 0 && 'a list of parts'].filter(Boolean)
  const example = takesText ? '' : ', such as [{ type: "text", text: "…" }]'
  return `\`content\` of role "${role}" is ${wanted.join(' or ')}${example}`
}

type PartType = (UserPart | AssistantPart)['type']

const roles: {
  readonly [Role in Message['role']]: { parts: readonly PartType[]; takesText: boolean; fields?: string[] }
} = {
  system: { parts: [], takesText: true },
  user: { parts: ['text', 'image', 'file'], takesText: true },
  assistant: { parts: ['text', 'reasoning', 'tool-call'], takesText: false },
  tool: { parts: ['text', 'image'], takesText: true, fields: ['callId', 'name'] },
}

function firstProblem(content: readonly unknown[], types: readonly PartType[]): string | undefined {
  for (const [index, part] of content.entries()) {
    const type = isRecord(part) ? types.find((type) => type === part.type) : undefined
    if (!isRecord(part) || type === undefined) return `\`content[${index}].type\` is one of ${types.join(', ')}`
    const problem = partProblem(part, type)
    if (problem !== undefined) return `\`content[${index}]\`: ${problem}`
  }
  return undefined
}

/** The text fields of each part. */
const textFields: { readonly [Type in PartType]: readonly string[] } = {
  text: ['text'],
  reasoning: ['text'],
  'tool-call': ['callId', 'name'],
  image: [],
  file: ['mediaType'],
}

const optionalTexts: { readonly [Type in PartType]?: readonly string[] } = {
  'tool-call': ['inputText'],
  image: ['mediaType'],
  file: ['name'],
}

const longCallId = `\`callId\` has more than the ${limits.idBytes} bytes that an id may have`

function isOptional(value: unknown, type: 'string' | 'boolean'): boolean {
  return value === undefined || typeof value === type
}

function partProblem(part: Record<string, unknown>, type: PartType): string | undefined {
  const missing = textFields[type].find((name) => typeof part[name] !== 'string')
  if (missing !== undefined) return `a part of type "${type}" needs \`${missing}\`, a text`
  const wrong = optionalTexts[type]?.find((name) => !isOptional(part[name], 'string'))
  if (wrong !== undefined) return `\`${wrong}\` of a part of type "${type}" is a text or absent`
  if (type === 'tool-call') {
    if (isTooLong(String(part.callId))) return longCallId
    return part.input === undefined ? 'a tool call needs `input`' : undefined
  }
  if (type !== 'image' && type !== 'file') return undefined
  const sources = [part.base64, part.url].filter((source) => source !== undefined)
  const isGiven = sources.length === 1 && typeof sources[0] === 'string' && sources[0] !== ''
  return isGiven ? undefined : `a part of type "${type}" needs one of \`base64\` and \`url\`, a text`
}

function isRole(role: unknown): role is Message['role'] {
  return typeof role === 'string' && Object.hasOwn(roles, role)
}

/** Whether a value is a plain object: not a list, a Map or a Promise, which have no options. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return Object.prototype.toString.call(value) === '[object Object]'
}
