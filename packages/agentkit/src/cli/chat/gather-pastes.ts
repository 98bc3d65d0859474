import type { ReadStream } from 'node:tty'

type Key = { name?: string; sequence?: string; ctrl?: boolean }

/** Terminals put marks around a paste while this is on: a pasted line end is no Enter. */
export const pasteMarks = { on: '\u001b[?2004h', off: '\u001b[?2004l' }

/**
 * Takes pastes out of the keys of a terminal, and passes each as one text: an editor of lines needs minutes for a long one,
 * key by key. It is called after the editor has begun to listen.
 * @returns a function that ends this
 */
export function gatherPastes(input: ReadStream, onText: (text: string) => void): () => void {
  let text: string | undefined
  let editor: ReturnType<ReadStream['listeners']> = []

  const pressed = (_: unknown, { name, sequence = '', ctrl }: Key = {}): void => {
    if (text === undefined) {
      if (name === 'paste-start') begin()
    } else if (name === 'paste-end') end()
    // When the end of a paste is lost, Ctrl-C still ends it.
    else if (ctrl && name === 'c') {
      text = ''
      end()
    } else text += sequence
  }
  function begin(): void {
    text = ''
    editor = input.listeners('keypress').filter((listener) => listener !== pressed)
    for (const listener of editor) input.off('keypress', listener as () => void)
  }
  function end(): void {
    const given = text ?? ''
    text = undefined
    for (const listener of editor) input.on('keypress', listener as () => void)
    // Control characters but line ends and tabs are not text.
    onText(given.replace(/\r\n?/g, '\n').replace(/[^\P{Cc}\n\t]/gu, ''))
  }

  input.prependListener('keypress', pressed)
  return () => input.off('keypress', pressed)
}
