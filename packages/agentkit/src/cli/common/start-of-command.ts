/** How a command is passed to `spawn`. */
export type CommandStart = { program: string; words: readonly string[]; shell: boolean }

/**
 * On Windows npm and similar commands are scripts, which only a shell starts. It receives one line, as Node joins words for
 * a shell without quotes. A program with its ending, such as Node itself in "Program Files", needs no shell.
 */
export function startOfCommand(
  [program = '', ...words]: readonly string[],
  platform: NodeJS.Platform = process.platform,
): CommandStart {
  if (platform !== 'win32' || /\.exe$/i.test(program)) return { program, words, shell: false }
  return { program: [program, ...words].map(quoted).join(' '), words: [], shell: true }
}

/** A word of a line for the shell of Windows. A backslash before a quotation mark is doubled there. */
function quoted(word: string): string {
  if (/^[\w@+=:./\\-]+$/.test(word)) return word
  return `"${word.replace(/(?<!\\)(\\*)("|$)/g, (_all, slashes: string, mark: string) => slashes + slashes + mark + mark)}"`
}
