import { toUserMessage } from '../agents/input.ts'
import { AgentKitError } from '../data/errors.ts'
import type { InputPart, UserMessage } from '../data/message.ts'
import { toToolResult } from '../tools/tool-result.ts'

/**
 * What an agent is asked: text and parts as they are, all else as JSON.
 * @throws AgentKitError `invalid-argument` when there is nothing to ask
 */
export function messageFor(value: unknown, label: string): UserMessage {
  const isNothing = value === undefined || (typeof value === 'string' && value.trim() === '')
  if (!isNothing) return toUserMessage(isPartList(value) ? value : textOf(value))
  const found = value === undefined ? 'nothing' : 'an empty text'
  const message = `The step "${label}" has ${found} to ask its agent. Say by \`ask\` what to ask, or check the step before.`
  throw new AgentKitError('invalid-argument', message)
}

/** A value as text: of nothing "done", like a tool's. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  try {
    return JSON.stringify(value) ?? 'done'
  } catch {
    return inWords(value)
  }
}

/** Of what JSON cannot say: circles, BigInts, … */
function inWords(value: unknown): string {
  const { content } = toToolResult(value)
  return typeof content === 'string' ? content : JSON.stringify(content)
}

function isPartList(value: unknown): value is InputPart[] {
  return Array.isArray(value) && value.length > 0 && value.every(isPart)
}

/** An object that says more than a part does is data. */
function isPart(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || !('type' in value)) return false
  const has = (...names: string[]): boolean => names.some((name) => name in value)
  const hasOnly = (...names: string[]): boolean => Object.keys(value).every((name) => names.includes(name))
  if (value.type === 'text') return has('text') && hasOnly('type', 'text')
  if (value.type !== 'image' && value.type !== 'file') return false
  return has('data', 'base64', 'url') && hasOnly('type', 'data', 'base64', 'url', 'mediaType', 'name')
}
