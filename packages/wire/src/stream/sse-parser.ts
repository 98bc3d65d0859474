import type { Frame } from './frame.ts'

/**
 * Splits text into server-sent events: LF, CR and CRLF, comments, multi-line data, in pieces of any size. Errors that are
 * no events are frames too: the field `error:` of llama.cpp, and the bare JSON of Gemini. It buffers only the incomplete
 * frame, and scans each character once.
 */
export class SseParser {
  #line = ''
  #event = ''
  #data: string | undefined
  /** Whether the data is a JSON document without a field, of one or more lines. */
  #isBare = false
  #skipLineFeed = false

  /** The frames that this text completes. */
  push(text: string): Frame[] {
    const frames: Frame[] = []
    const lines = this.#toLineFeeds(text)
    let start = 0
    for (let end = lines.indexOf('\n'); end !== -1; end = lines.indexOf('\n', start)) {
      const piece = lines.slice(start, end)
      start = end + 1
      if (this.#line === '') this.#takeLine(piece, frames)
      else {
        const line = this.#line + piece
        this.#line = ''
        this.#takeLine(line, frames)
      }
    }
    if (start < lines.length) this.#line += start === 0 ? lines : lines.slice(start)
    return frames
  }

  /** The incomplete frame at the end of the stream, if there is one. */
  end(): Frame[] {
    const line = this.#line
    this.#line = ''
    if (line !== '') this.#takeLine(line, [])
    const isCut = this.#data !== undefined || this.#event !== '' || (line !== '' && !line.startsWith(':'))
    const frame: Frame = { event: this.#event, data: this.#data ?? '', unterminated: true }
    this.#event = ''
    this.#data = undefined
    return isCut && !(frame.data !== '' && isHeartbeat(frame)) ? [frame] : []
  }

  /** Characters in the buffer. */
  get pending(): number {
    return this.#line.length + (this.#data?.length ?? 0)
  }

  #toLineFeeds(text: string): string {
    let lines = text
    if (this.#skipLineFeed && lines !== '') {
      this.#skipLineFeed = false
      if (lines.startsWith('\n')) lines = lines.slice(1)
    }
    if (!lines.includes('\r')) return lines
    // A CR at the end ends the line; an LF at the start of the next piece belongs to it.
    this.#skipLineFeed = lines.endsWith('\r')
    return lines.replace(/\r\n?/g, '\n')
  }

  #takeLine(line: string, frames: Frame[]): void {
    if (line === '') {
      const frame = { event: this.#event, data: this.#data ?? '' }
      if (this.#data !== undefined && !isHeartbeat(frame)) frames.push(frame)
      this.#data = undefined
      this.#event = ''
      this.#isBare = false
    } else if (line.startsWith('data:')) {
      this.#addData(fieldValue(line, 5))
    } else if (line.startsWith('event:')) {
      this.#event = fieldValue(line, 6)
    } else if (line === 'data') {
      this.#addData('')
    } else if (line.startsWith('error:')) {
      this.#event = 'error'
      this.#addData(fieldValue(line, 6))
    } else if (this.#isBare || (line.startsWith('{') && this.#data === undefined)) {
      this.#isBare = true
      this.#addData(line)
    }
  }

  #addData(value: string): void {
    this.#data = this.#data === undefined ? value : `${this.#data}\n${value}`
  }
}

/**
 * Whether a gateway keeps the connection open with data that says nothing: blank data, `null`, `ping`, or a comment that
 * has become data, such as `: ping - 2`. Only text that cannot be a part of a JSON document counts: a damaged one is an error.
 */
function isHeartbeat({ event, data }: Frame): boolean {
  if (data.charCodeAt(0) === brace || event === 'error') return false
  if (data.trim() === '' || heartbeatName.test(event)) return true
  return data.length <= longestHeartbeat && (heartbeatName.test(data.trim()) || comment.test(data))
}

const heartbeatName = /^\[?(?:ping|pong|heartbeat|keep-?alive|null)\]?$/i
const comment = /^\s*:[^"{}[\]]*$/
const longestHeartbeat = 200
const brace = 123
const space = 32

function fieldValue(line: string, colonEnd: number): string {
  return line.slice(line.charCodeAt(colonEnd) === space ? colonEnd + 1 : colonEnd)
}
