import type { Frame } from './frame.ts'

/**
 * Cuts text into server-sent events: LF, CR and CRLF, comments, multi-line data, in pieces of any size.
 * It keeps only the unfinished frame, and looks at each character once.
 */
export class SseParser {
  #line = ''
  #event = ''
  #data: string | undefined
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

  /** The frame that the end of the stream cut short, if there is one. */
  end(): Frame[] {
    const line = this.#line
    this.#line = ''
    if (line !== '') this.#takeLine(line, [])
    const cutShort = this.#data !== undefined || this.#event !== '' || (line !== '' && !line.startsWith(':'))
    if (!cutShort) return []
    const frame: Frame = { event: this.#event, data: this.#data ?? '', unterminated: true }
    this.#event = ''
    this.#data = undefined
    return [frame]
  }

  /** Characters held back until their frame is complete. */
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
    // A CR at the end is a line's end already; if the next piece begins with LF, that belongs to it.
    this.#skipLineFeed = lines.endsWith('\r')
    return lines.replace(/\r\n?/g, '\n')
  }

  #takeLine(line: string, frames: Frame[]): void {
    if (line === '') {
      if (this.#data !== undefined) frames.push({ event: this.#event, data: this.#data })
      this.#data = undefined
      this.#event = ''
    } else if (line.startsWith('data:')) {
      const value = fieldValue(line, 5)
      this.#data = this.#data === undefined ? value : `${this.#data}\n${value}`
    } else if (line.startsWith('event:')) {
      this.#event = fieldValue(line, 6)
    } else if (line === 'data') {
      this.#data = this.#data === undefined ? '' : `${this.#data}\n`
    }
  }
}

const space = 32

function fieldValue(line: string, colonEnd: number): string {
  return line.slice(line.charCodeAt(colonEnd) === space ? colonEnd + 1 : colonEnd)
}
