import { invalidArgument } from '../data/errors.ts'
import type { InputPart, UserMessage } from '../data/message.ts'
import { toUserMessage } from '../runs/driver/input.ts'
import { jsonText, toToolResult } from '../tools/tool-result.ts'

/**
 * The message that a step sends to its agent: text and parts as they are, other values as JSON.
 * @throws AgentKitError `invalid-argument` for an empty message
 */
export function messageFor(value: unknown, label: string): UserMessage {
  const isNothing = value === undefined || (typeof value === 'string' && value.trim() === '')
  if (!isNothing) return toUserMessage(isPartList(value) ? value : valueText(value))
  const found = value === undefined ? 'nothing' : 'an empty text'
  const message = `The step "${label}" has ${found} to send to its agent. Pass \`ask\` to build a question, or check the previous step.`
  throw invalidArgument(message)
}

/** A value as text. `undefined` is "done", as it is for a tool. */
export function valueText(value: unknown): string {
  if (typeof value === 'string') return value
  try {
    return jsonText(value) ?? 'done'
  } catch {
    return describeValue(value)
  }
}

/** A value that JSON cannot hold: circular references, BigInts, … */
function describeValue(value: unknown): string {
  const { content } = toToolResult(value)
  return typeof content === 'string' ? content : JSON.stringify(content)
}

function isPartList(value: unknown): value is InputPart[] {
  return Array.isArray(value) && value.length > 0 && value.every(isPart)
}

/** An object with other keys than a part has is data. */
function isPart(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || !('type' in value)) return false
  const has = (...names: string[]): boolean => names.some((name) => name in value)
  const hasOnly = (...names: string[]): boolean => Object.keys(value).every((name) => names.includes(name))
  if (value.type === 'text') return has('text') && hasOnly('type', 'text')
  if (value.type !== 'image' && value.type !== 'file') return false
  return has('data', 'base64', 'url') && hasOnly('type', 'data', 'base64', 'url', 'mediaType', 'name')
}
