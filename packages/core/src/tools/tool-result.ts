import { AgentKitError, isInstance } from '../data/errors.ts'
import { firstChars } from '../data/first-chars.ts'
import type { ImagePart, JSONValue, TextPart, ToolMessage } from '../data/message.ts'
import { limits } from '../limits.ts'
import { cutAt, cutText, encoder, markRoom } from '../util/text/cut-text.ts'

/** In place of a value whose getter throws. Clients see outputs, so it has none of the error's text. */
const unreadable = '[unreadable]'

/** A tool's return value as content for the model, and as plain JSON for events. */
export type ToolResult = {
  content: ToolMessage['content']
  output: unknown
  /** The whole text, if `content` is cut. */
  whole?: string
}

/**
 * Converts the return value of a tool into content that can be sent and stored.
 *
 * Text stays text, a list of text and image parts stays unchanged, any other value becomes JSON; one that is text in JSON,
 * such as a date, becomes that text. Circular references, BigInts, bytes and getters that throw are described in words. Text
 * of more than 256 KB is cut with a mark.
 *
 * @param callId the id with which the model may read the rest of a cut text
 */
export function toToolResult(value: unknown, callId?: string): ToolResult {
  if (value === undefined) return { content: 'done', output: undefined }
  if (value === null) return { content: 'no result', output: null }
  if (typeof value === 'string') {
    const text = value.toWellFormed()
    return shorten(text, text, callId)
  }
  if (isPartList(value)) {
    const content = copyParts(value, limits.toolResultBytes)
    return { content, output: content }
  }
  const charsLeft = callId === undefined ? limits.toolResultBytes * 2 : limits.wholeResultChars
  const output = toPlain(value, { ancestors: new Set(), charsLeft })
  // As clients read it, live and later.
  const text = typeof output === 'string' ? output : (JSON.stringify(output) ?? 'done')
  return shorten(text, output, callId)
}

function shorten(text: string, output: unknown, callId: string | undefined): ToolResult {
  const content = cutText(text, limits.toolResultBytes, text.length, callId)
  if (content === text) return { content, output }
  const cut = { content, output: content }
  return callId === undefined ? cut : { ...cut, whole: firstChars(text, limits.wholeResultChars) }
}
/** Deeper values are described in words, so that no value can overflow the stack. */
const maxDepth = 200

/** The parts without other properties; their texts share the bound, images do not count. */
function copyParts(parts: readonly (TextPart | ImagePart)[], maxBytes: number): (TextPart | ImagePart)[] {
  const copies: (TextPart | ImagePart)[] = []
  let bytesLeft = maxBytes - markRoom
  for (const part of parts) {
    if (part.type === 'image') {
      copies.push(isEmpty(part) ? { type: 'text', text: '[image without content]' } : copyImage(part))
      continue
    }
    const text = part.text.toWellFormed()
    const { length } = encoder.encode(text)
    if (length > bytesLeft) {
      copies.push({ type: 'text', text: cutAt(text, bytesLeft + markRoom, text.length) })
      break
    }
    copies.push({ type: 'text', text })
    bytesLeft -= length
  }
  return copies
}

/** A message with such an image is not valid: neither `history` nor a provider takes it. */
function isEmpty({ base64, url }: ImagePart): boolean {
  return (base64 ?? url) === ''
}

function copyImage({ base64, url, mediaType }: ImagePart): ImagePart {
  const source = base64 === undefined ? { url: String(url) } : { base64 }
  return { type: 'image', ...source, ...(typeof mediaType === 'string' ? { mediaType } : {}) }
}

function isPartList(value: unknown): value is (TextPart | ImagePart)[] {
  if (!Array.isArray(value) || value.length === 0) return false
  // Not `every`, which skips holes: a sparse list would pass as a list of parts.
  for (const item of value) if (!isPart(item)) return false
  return true
}

function isPart(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || !('type' in value)) return false
  if (value.type === 'text') return hasOnly(value, ['type', 'text']) && typeof (value as TextPart).text === 'string'
  if (value.type !== 'image' || !hasOnly(value, ['type', 'base64', 'url', 'mediaType'])) return false
  return ('base64' in value && typeof value.base64 === 'string') || ('url' in value && typeof value.url === 'string')
}

/** An object with other properties is data, such as a search hit of type "text". */
function hasOnly(value: object, keys: readonly string[]): boolean {
  return Object.keys(value).every((key) => keys.includes(key))
}

type Walk = { ancestors: Set<object>; charsLeft: number }

/** A JSON clone of any value, cut when it is longer than the bound. */
function toPlain(value: unknown, walk: Walk): JSONValue {
  walk.charsLeft -= 4
  if (walk.charsLeft < 0) return '[cut]'
  switch (typeof value) {
    case 'string':
      walk.charsLeft -= value.length
      return value.toWellFormed()
    case 'number':
      return Number.isFinite(value) ? value : String(value)
    case 'boolean':
      return value
    case 'bigint':
      return value.toString()
    case 'object':
      return value === null ? null : objectToPlain(value, walk)
    default:
      return null
  }
}

/** Whether a value is a run of an agent. `result` is not read, as that would start the run. */
export function isRun(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return 'runId' in value && 'result' in value && 'cancel' in value && Symbol.asyncIterator in value
}

/** A value that must be awaited or read first: as JSON it would be `{}`, and reading it could start it. */
class NoValue extends AgentKitError {
  constructor(message: string) {
    super('tool-error', message)
  }
}

function whatToReturn(value: object): string | undefined {
  if (isRun(value)) return 'a run: await its `result`, and return the text'
  const tag = Object.prototype.toString.call(value).slice(8, -1)
  if (tag === 'Promise') {
    // Nothing else handles its rejection.
    void Promise.resolve(value).catch(() => {})
    return 'a Promise: await it first'
  }
  if (tag === 'Response' || tag === 'Request') return `a ${tag}: return await response.json()`
  if (tag === 'Blob' || tag === 'File') return `a ${tag}: return await blob.text()`
  if (tag === 'ReadableStream' || ('pipe' in value && typeof value.pipe === 'function')) {
    return 'a stream: read it, and return its text'
  }
  if ('then' in value && typeof value.then === 'function') return 'a promise: await it first'
  const isKnown = Array.isArray(value) || value instanceof Map || value instanceof Set || 'toJSON' in value
  if (isKnown || !(Symbol.iterator in value || Symbol.asyncIterator in value)) return undefined
  return 'an iterable: return a list of what it gives'
}

function objectToPlain(value: object, walk: Walk): JSONValue {
  if (walk.ancestors.has(value)) return '[circular]'
  if (walk.ancestors.size === maxDepth) return '[nested too deep]'
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`
  if (value instanceof ArrayBuffer) return `[${value.byteLength} bytes]`
  if (value instanceof Error) return `${value.name}: ${value.message}`.toWellFormed()
  walk.ancestors.add(value)
  try {
    const instead = whatToReturn(value)
    if (instead !== undefined)
      throw new NoValue(`The tool returned ${walk.ancestors.size > 1 ? 'an object that holds ' : ''}${instead}.`)
    if ('toJSON' in value && typeof value.toJSON === 'function') return toPlain(value.toJSON(), walk)
    const listed = withoutCollections(value)
    if (listed !== value) return toPlain(listed, walk)
    return Array.isArray(value) ? listToPlain(value, walk) : recordToPlain(value, walk)
  } catch (error) {
    if (isInstance(error, NoValue)) throw error
    return unreadable
  } finally {
    walk.ancestors.delete(value)
  }
}

/** A Map as an object, or as a list of pairs where its keys cannot be those of an object; a Set as a list. */
function withoutCollections(value: unknown): unknown {
  if (value instanceof Set) return [...value]
  if (!(value instanceof Map)) return value
  const keys = [...value.keys()]
  const isNamed = keys.every(isName) && new Set(keys.map(String)).size === keys.length
  return isNamed ? Object.fromEntries(value) : [...value]
}

function isName(key: unknown): boolean {
  return !['object', 'function', 'symbol'].includes(typeof key)
}

/** A value as the text of JSON, as of tool results: `JSON.stringify` alone makes `{}` of a Map and of a Set. */
export function jsonText(value: unknown): string | undefined {
  return JSON.stringify(value, (_key, field) => withoutCollections(field))
}

function listToPlain(list: readonly unknown[], walk: Walk): JSONValue[] {
  const plain: JSONValue[] = []
  for (const item of list) {
    plain.push(toPlain(item, walk))
    if (walk.charsLeft < 0) break
  }
  return plain
}

function recordToPlain(record: object, walk: Walk): JSONValue {
  const entries: [string, JSONValue][] = []
  for (const key of Object.keys(record)) {
    const value = readProperty(record, key)
    if (value === undefined || typeof value === 'function' || typeof value === 'symbol') continue
    walk.charsLeft -= key.length
    entries.push([key.toWellFormed(), toPlain(value, walk)])
    if (walk.charsLeft < 0) break
  }
  // fromEntries defines own properties, so a key named __proto__ stays data.
  return Object.fromEntries(entries)
}

function readProperty(record: object, key: string): unknown {
  try {
    return record[key as keyof typeof record]
  } catch {
    return unreadable
  }
}

/** A value as plain data for events. */
export function plainOf(value: unknown): unknown {
  if (typeof value !== 'object' && typeof value !== 'bigint') return value
  try {
    return JSON.parse(jsonText(value) ?? '')
  } catch {
    // Circular values, BigInts and getters that throw are described in words.
    try {
      return toToolResult(value).output
    } catch {
      return unreadable
    }
  }
}
