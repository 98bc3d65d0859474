import { readdirSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { gatherPastes, pasteMarks } from './gather-pastes.ts'
import { addToHistory, historyFile, readHistory } from './input-history.ts'

/** Twice within this time leaves the chat, in milliseconds. */
const leaveMs = 2_000

export interface Prompt {
  /** The next line; `undefined` when the user leaves. */
  line(prompt: string): Promise<string | undefined>
  /**
   * A line that is not kept; `isSecret` shows nothing of it. On a terminal, what was typed before the question was shown does
   * not answer it.
   */
  question(prompt: string, options?: { isSecret?: boolean; signal?: AbortSignal }): Promise<string | undefined>
  /** Ctrl-C calls `onInterrupt` while `work` lasts; the next prompt shows text that was typed while it ran. */
  during<Value>(work: Promise<Value>, onInterrupt: () => void): Promise<Value>
  close(): void
}

type Options = {
  write(text: string): Promise<void>
  /** Words that Tab completes at the start of a line. */
  commands: readonly string[]
}

type NextOptions = { takesEarly?: boolean; signal?: AbortSignal }

/** Reads lines from the terminal, with a history, or from a pipe, without prompts. */
export function openPrompt({ write, commands }: Options): Prompt {
  const { stdin, stdout } = process
  const isTerminal = stdin.isTTY === true && stdout.isTTY === true
  // Node edits no line of such a terminal: it appends each key to the line, also Backspace.
  const isDumb = isTerminal && process.env.TERM === 'dumb'
  const file = historyFile()
  let isMuted = false
  // Node writes the typed text and the movements of the cursor.
  const screen = new Writable({
    decodeStrings: false,
    write(chunk, _, done) {
      // Decided when it is written: what waits would be lost to a later answer.
      if (!isMuted) void write(isDumb ? String(chunk).replace('\u007f', '\b \b') : String(chunk))
      done()
    },
  })
  Object.defineProperties(screen, { columns: { get: () => stdout.columns }, rows: { get: () => stdout.rows } })
  stdout.on('resize', () => screen.emit('resize'))
  const reader = createInterface({
    input: stdin,
    output: screen,
    terminal: isTerminal,
    history: isTerminal ? readHistory(file) : [],
    historySize: 500,
    removeHistoryDuplicates: true,
    completer: (line: string) => completions(line, commands),
  })
  const waiting: string[] = []
  /** The lines of a paste, which become one with the line that Enter ends. */
  const pasted: string[] = []
  let isPasting = false
  let take: ((line: string | undefined) => void) | undefined
  let isClosed = false
  let keepsLines = true
  let onInterrupt: (() => void) | undefined
  let lastInterrupt = Number.NEGATIVE_INFINITY

  const marksPastes = isTerminal && !isDumb
  const stopPastes = marksPastes
    ? gatherPastes(stdin, (text) => {
        isPasting = true
        reader.write(text)
        isPasting = false
      })
    : () => {}
  if (marksPastes) void write(pasteMarks.on)
  reader.on('line', (typed) => {
    const last = isDumb ? edited(typed) : typed
    lastInterrupt = Number.NEGATIVE_INFINITY
    if (isPasting) return void pasted.push(last)
    const line = [...pasted.splice(0), last].join('\n')
    if (take) give(line)
    else waiting.push(line)
  })
  reader.on('close', () => {
    isClosed = true
    if (marksPastes) void write(pasteMarks.off)
    stopPastes()
    give(undefined)
  })
  // The answer of a question, such as a token, is not kept; of a paste its last line is.
  reader.on('history', (lines: string[]) => {
    if (!keepsLines || isPasting) lines.shift()
  })
  // After Ctrl-Z and `fg` Node has paused the input, without which the chat would end; the shell takes pastes by itself.
  reader.on('SIGCONT', () => {
    if (marksPastes) void write(pasteMarks.on)
    reader.prompt(true)
  })
  reader.on('SIGINT', interrupt)
  if (!isTerminal) process.on('SIGINT', interrupt)

  function give(line: string | undefined): void {
    const taken = take
    take = undefined
    taken?.(line)
  }

  function interrupt(): void {
    const now = performance.now()
    const isSecond = now - lastInterrupt < leaveMs
    lastInterrupt = now
    if (onInterrupt && !isSecond) {
      onInterrupt()
      return
    }
    if (isSecond || !isTerminal) {
      onInterrupt?.()
      reader.close()
      return
    }
    void write('\n(Ctrl-C again leaves)\n')
    pasted.length = 0
    clearLine()
    reader.prompt()
  }

  /** Removes the typed text by Ctrl-E and Ctrl-U. */
  function clearLine(): void {
    if (isDumb) {
      reader.write('\u0015')
      return
    }
    reader.write(null, { ctrl: true, name: 'e' })
    reader.write(null, { ctrl: true, name: 'u' })
  }

  function next(prompt: string, { takesEarly = true, signal }: NextOptions = {}): Promise<string | undefined> {
    const early = takesEarly ? waiting.shift() : undefined
    if (early !== undefined) return Promise.resolve(early)
    if (isClosed || signal?.aborted) return Promise.resolve(undefined)
    reader.setPrompt(isTerminal ? prompt : '')
    reader.prompt(true)
    return new Promise((resolve) => {
      const stop = (): void => {
        if (isTerminal) {
          clearLine()
          void write('\n')
        }
        give(undefined)
      }
      signal?.addEventListener('abort', stop, { once: true })
      take = (line) => {
        signal?.removeEventListener('abort', stop)
        resolve(line)
      }
    })
  }

  return {
    async line(prompt) {
      keepsLines = true
      const line = await next(prompt)
      if (isTerminal && line !== undefined && line.trim() !== '') addToHistory(file, line.replaceAll('\n', ' '))
      return line
    },
    async question(prompt, { isSecret = false, signal } = {}) {
      const wasMuted = isMuted
      isMuted = isSecret
      keepsLines = false
      if (isSecret) await write(prompt)
      try {
        const line = await next(isSecret ? '' : prompt, { takesEarly: !isTerminal, ...(signal && { signal }) })
        // Ctrl-D leaves the cursor behind the question.
        if (line === undefined && isTerminal && !isSecret && !signal?.aborted) await write('\n')
        return line
      } finally {
        if (isSecret) await write('\n')
        isMuted = wasMuted
        keepsLines = true
      }
    },
    async during(work, interruptWork) {
      isMuted = true
      onInterrupt = interruptWork
      try {
        return await work
      } finally {
        isMuted = false
        onInterrupt = undefined
      }
    },
    close() {
      reader.close()
    },
  }
}

/** A line as Backspace and Ctrl-U leave it. */
function edited(line: string): string {
  const kept: string[] = []
  for (const character of line) {
    if (character === '\u0015') kept.length = 0
    else if (character === '\u007f' || character === '\b') kept.pop()
    else kept.push(character)
  }
  return kept.join('')
}

/** Commands at the start of a line, and files after `@`, in quotation marks where a name has a space. */
function completions(line: string, commands: readonly string[]): [string[], string] {
  if (line.startsWith('/')) return [commands.filter((command) => command.startsWith(line)), line]
  const typed = /(?:^|\s)@("[^"]*|\S*)$/.exec(line)?.[1]
  if (typed === undefined) return [[], line]
  const word = typed.replace('"', '')
  const folder = word.slice(0, word.lastIndexOf('/') + 1)
  try {
    const names = readdirSync(folder || '.', { withFileTypes: true })
      .map((entry) => `${folder}${entry.name}${entry.isDirectory() ? '/' : ''}`)
      .filter((name) => name.startsWith(word))
    const isQuoted = typed !== word || names.some((name) => /\s/.test(name))
    // The name of a folder is continued.
    const quoted = (name: string): string => `"${name}${name.endsWith('/') ? '' : '"'}`
    return [isQuoted ? names.map(quoted) : names, typed]
  } catch {
    return [[], typed]
  }
}
