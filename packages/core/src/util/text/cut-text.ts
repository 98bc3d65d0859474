import type { ToolMessage } from '../../data/message.ts'
import { limits } from '../../limits.ts'

export const encoder: TextEncoder = new TextEncoder()

/** Room for the mark of a cut, in bytes. */
export const markRoom = 64

/**
 * The text, or its first part with a mark; at most `maxBytes` of UTF-8 with the mark.
 * @param length the length of the whole text, if `text` is a part of it
 * @param callId the id with which a model may read the rest
 */
export function cutText(text: string, maxBytes: number, length: number = text.length, callId?: string): string {
  // No character takes more than three bytes per UTF-16 unit, so most text needs no counting.
  if (text.length * 3 <= maxBytes) return text
  const { read } = encoder.encodeInto(text, new Uint8Array(maxBytes))
  return read === text.length ? text : cutAt(text, maxBytes, length, callId)
}

export function cutAt(text: string, maxBytes: number, length: number, callId?: string): string {
  const room = maxBytes - encoder.encode(cutMark(length, length, callId)).length
  const shown = encoder.encodeInto(text, new Uint8Array(Math.max(0, room))).read
  return text.slice(0, shown) + cutMark(shown, length, callId)
}

/** Whether a stored result is cut, with a mark that names how to continue reading. */
export function isCut({ content }: ToolMessage): boolean {
  return (
    typeof content === 'string' &&
    content.length > limits.toolResultBytes / 4 &&
    /\. To read on, call read_tool_result with .*\]$/.test(content.slice(-1000))
  )
}

function cutMark(shown: number, length: number, callId: string | undefined): string {
  const readOn =
    callId === undefined
      ? ''
      : `. To read on, call read_tool_result with ${JSON.stringify({ call_id: callId, offset: shown })}`
  return `\n[cut: ${shown} of ${length} characters shown${readOn}]`
}
