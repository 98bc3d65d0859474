/** Characters that a terminal or a line reader may interpret: controls, separators, changes of direction. */
const unsafe = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu
/** The same, with `\r\n` as one match. */
const unsafeOrLineEnd = /\r\n|[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu

/**
 * A text as one line that is safe to print: each character that a terminal interprets, including line ends, is escaped as
 * `\u001b`.
 *
 * For names, messages and errors with untrusted text: a file's name may clear the screen.
 * @example
 * console.log(terminalLine(`${file} is new`)) // a\u001b[2J.md is new
 */
export function terminalLine(text: string): string {
  return text.replace(unsafe, escaped)
}

/**
 * A text of several lines that is safe to print: as {@link terminalLine}, but it keeps line ends (`\r\n` becomes `\n`)
 * and tabs.
 *
 * For answers of models and results of tools: an escape sequence may write to the clipboard or hide text.
 * @example
 * console.log(terminalText(await agent.chat('What does report.txt say?')))
 */
export function terminalText(text: string): string {
  return text.replace(unsafeOrLineEnd, (found) =>
    /^(\r?\n|\t)$/.test(found) ? found.replace('\r', '') : escaped(found),
  )
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
