import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'

const maxLines = 500
const maxChars = 4_000

/** The path of the file that keeps the lines typed in chats, readable by this user only. */
export function historyFile(): string {
  const state = process.env.XDG_STATE_HOME || join(homedir(), '.local', 'state')
  return join(state, 'agentkit', 'chat-history')
}

/** The kept lines, the newest first. */
export function readHistory(file: string): string[] {
  return linesIn(file).reverse()
}

/** Adds a line; the oldest are dropped. What cannot be written is not kept: a chat works without a history. */
export function addToHistory(file: string, line: string): void {
  const text = line.slice(0, maxChars)
  const lines = [...linesIn(file).filter((one) => one !== text), text].slice(-maxLines)
  const temporary = `${file}.${process.pid}.tmp`
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    writeFileSync(temporary, `${lines.join('\n')}\n`, { mode: 0o600 })
    renameSync(temporary, file)
  } catch {
    // A failure is ignored, for example in a read-only home folder.
  }
}

function linesIn(file: string): string[] {
  try {
    const lines = readFileSync(file, 'utf8').split('\n')
    return lines.filter((line) => line !== '' && line.length <= maxChars).slice(-maxLines)
  } catch {
    return []
  }
}
