import type { Frame } from './frame.ts'

/** Splits NDJSON into frames, one for each line. It buffers only the incomplete line. */
export class LineParser {
  #line = ''

  /** The frames that this text completes. */
  push(text: string): Frame[] {
    const frames: Frame[] = []
    let start = 0
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
      const data = (this.#line + text.slice(start, end)).trim()
      this.#line = ''
      start = end + 1
      if (data !== '') frames.push({ event: '', data })
    }
    this.#line += text.slice(start)
    return frames
  }

  /** The incomplete line at the end of the stream, if there is one. */
  end(): Frame[] {
    const data = this.#line.trim()
    this.#line = ''
    return data === '' ? [] : [{ event: '', data, unterminated: true }]
  }

  /** Characters in the buffer. */
  get pending(): number {
    return this.#line.length
  }
}
