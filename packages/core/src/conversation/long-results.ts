import type { Tool } from '../contracts/tool.ts'
import { AgentKitError, invalidArgument } from '../data/errors.ts'
import type { ImagePart, TextPart, ToolMessage } from '../data/message.ts'
import { estimateText } from '../tokens/estimate-tokens.ts'
import { tool } from '../tools/define-tool.ts'
import { readOnName } from '../tools/read-on-name.ts'

/**
 * A tool result as it is sent: the message itself when its text fits, otherwise a copy with the beginning of the text and
 * how to read on. Images are always sent.
 *
 * @param resultTokens the most tokens that the text may take
 */
export function shownResult(message: ToolMessage, resultTokens: number): ToolMessage {
  // No character takes more than four tokens, so most results need neither counting nor a look-up.
  if (typeof message.content === 'string' && message.content.length * 4 <= resultTokens) return message
  const known = cutResults.get(message)
  if (known?.resultTokens === resultTokens) return known.shown
  const shown = estimateText(resultText(message)) <= resultTokens ? message : cutResult(message, resultTokens)
  cutResults.set(message, { resultTokens, shown })
  return shown
}

/** A placeholder for a removed tool result, with how to read it again; the message itself when that is as short. */
export function removedResult(message: ToolMessage): ToolMessage {
  const shown = removedResults.get(message) ?? removeResult(message)
  removedResults.set(message, shown)
  return shown
}

/** The whole text of a result, in which `offset` counts. */
export function resultText({ content }: ToolMessage): string {
  if (typeof content === 'string') return content
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('')
}

/**
 * The tool with which a model reads results that were cut or removed.
 *
 * @param find returns the whole text of a call's result ({@link resultText}); `undefined` for a call without one
 * @param resultTokens returns the most tokens that a result may take in the current request
 */
export function readToolResult(find: (callId: string) => string | undefined, resultTokens: () => number): Tool {
  return tool({
    name: readOnName,
    description: 'Continues reading the result of an earlier tool call that was shown only in part, or was removed.',
    input: {
      type: 'object',
      properties: {
        call_id: { type: 'string', description: 'The id that the shortened result names.' },
        offset: { type: 'integer', minimum: 0, description: 'The character to continue from.' },
      },
      required: ['call_id', 'offset'],
      additionalProperties: false,
    },
    idempotent: true,
    execute(input) {
      // The schema above has validated it.
      const { call_id: callId, offset } = input as { call_id: string; offset: number }
      const text = find(callId)
      if (text === undefined) {
        throw new AgentKitError('not-found', `There is no tool result with the call_id ${JSON.stringify(callId)}.`)
      }
      if (offset >= text.length) {
        const message = `The result has ${characters(text.length)}: there is nothing from ${offset} on.`
        throw invalidArgument(message)
      }
      return stretchOf(text, isInsideCharacter(text, offset) ? offset - 1 : offset, callId, resultTokens())
    },
  })
}

/**
 * The end of the longest stretch from `start` for which `fits` holds: after a line if one ends close by, never inside a
 * character, and after at least one character.
 */
export function stretchEnd(text: string, start: number, fits: (end: number) => boolean): number {
  const longest = start + largest(text.length - start, (length) => fits(start + length))
  if (longest === text.length) return longest
  const afterLine = text.lastIndexOf('\n', longest - 1) + 1
  if (afterLine - start > (longest - start) * 0.8) return afterLine
  const end = isInsideCharacter(text, longest) ? longest - 1 : longest
  return end > start ? end : start + (isInsideCharacter(text, start + 1) ? 2 : 1)
}

/** The largest whole number up to `most` for which `fits` holds, to about 1 %; 0 if there is none. */
export function largest(most: number, fits: (candidate: number) => boolean): number {
  let fitting = 0
  let beyond = most + 1
  // In growing steps, so that a short stretch of a long text is found without counting all of it.
  for (let step = 256; fitting < most && beyond > most; step *= 2) {
    const next = Math.min(fitting + step, most)
    if (fits(next)) fitting = next
    else beyond = next
  }
  while (beyond - fitting > Math.max(1, fitting >> 7)) {
    const middle = (fitting + beyond) >> 1
    if (fits(middle)) fitting = middle
    else beyond = middle
  }
  return fitting
}

/** Whether a cut at `index` would split a surrogate pair. */
export function isInsideCharacter(text: string, index: number): boolean {
  return index > 0 && (text.charCodeAt(index) & 0xfc00) === 0xdc00 && (text.charCodeAt(index - 1) & 0xfc00) === 0xd800
}

const cutResults = new WeakMap<ToolMessage, { resultTokens: number; shown: ToolMessage }>()
const removedResults = new WeakMap<ToolMessage, ToolMessage>()

function cutResult(message: ToolMessage, resultTokens: number): ToolMessage {
  const { content, callId } = message
  const text = resultText(message)
  if (typeof content === 'string') return frozen({ ...message, content: stretchOf(text, 0, callId, resultTokens) })
  const end = endOf(text, 0, callId, resultTokens)
  let left = end
  const parts = content.flatMap((part): (TextPart | ImagePart)[] => {
    if (part.type === 'image') return [part]
    const text = part.text.slice(0, left)
    left -= text.length
    return text === '' ? [] : [{ type: 'text', text }]
  })
  return frozen({ ...message, content: [...parts, { type: 'text', text: mark(text, 0, end, callId).trimStart() }] })
}

function stretchOf(text: string, start: number, callId: string, resultTokens: number): string {
  if (start === 0 && estimateText(text) <= resultTokens) return text
  const end = endOf(text, start, callId, resultTokens)
  return text.slice(start, end) + mark(text, start, end, callId)
}

function endOf(text: string, start: number, callId: string, resultTokens: number): number {
  return stretchEnd(text, start, (end) => {
    return estimateText(text.slice(start, end) + mark(text, start, end, callId)) <= resultTokens
  })
}

function mark({ length }: string, start: number, end: number, callId: string): string {
  const shown = `characters ${count(start)}–${count(end)} of ${count(length)}`
  return end === length ? `\n[${shown}: the end]` : `\n[${shown} are shown. To read on, ${readOn(callId, end)}]`
}

function readOn(callId: string, offset: number): string {
  return `call ${readOnName} with {"call_id": ${JSON.stringify(callId)}, "offset": ${offset}}`
}

function removeResult(message: ToolMessage): ToolMessage {
  const text = resultText(message)
  const { length } = text
  const images = typeof message.content === 'string' ? 0 : message.content.filter(({ type }) => type === 'image').length
  const removed = [...(length > 0 ? [characters(length)] : []), ...(images > 0 ? [plural(images, 'image')] : [])]
  // Calling again may repeat a side effect, so text is read by the other tool; images are available in no other way.
  const again = length > 0 ? `To read it again, ${readOn(message.callId, 0)}` : `Call "${message.name}" again for it`
  const content = `[result removed to save room: ${removed.join(' and ')}. ${again}.]`
  return images === 0 && estimateText(text) <= estimateText(content) ? message : frozen({ ...message, content })
}

function characters(length: number): string {
  return plural(length, 'character')
}

function plural(amount: number, noun: string): string {
  return `${count(amount)} ${noun}${amount === 1 ? '' : 's'}`
}

function count(amount: number): string {
  return String(amount).replace(/\B(?=(\d{3})+$)/g, ',')
}

/** A frozen message is converted for a provider only once. */
function frozen(message: ToolMessage): ToolMessage {
  Object.freeze(message.content)
  return Object.freeze(message)
}
