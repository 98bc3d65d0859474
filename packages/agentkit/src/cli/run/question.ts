import { statOf } from '../common/stat-of.ts'
import { UsageError } from '../common/usage-error.ts'

/** The largest question that is read from the standard input. */
const maxBytes = 4 * 1024 * 1024

/**
 * Reads the arguments of `agentkit run [file] "question"`; each may be absent.
 *
 * @returns the file as it was passed, and the question; without a question, or for `-`, the text of the standard input
 * @throws UsageError for an empty or too large question, and for a missing question on a terminal
 */
export async function fileAndQuestion([first, second]: readonly (string | undefined)[]): Promise<{
  file?: string
  question: string
}> {
  const hasFile = first !== undefined && (second !== undefined || isFile(first))
  const given = hasFile ? second : first
  const question = given === undefined || given === '-' ? await readStdin() : given
  if (question.trim() === '') throw new UsageError('The question is empty. Pass one: agentkit run "…"')
  return { question, ...(hasFile && { file: first }) }
}

/** A question may consist of one word, but not be named like a module. */
function isFile(word: string): boolean {
  if (/^\S+\.[cm]?[jt]sx?$/.test(word)) return true
  return statOf(word)?.isFile() === true
}

async function readStdin(): Promise<string> {
  const { stdin } = process
  if (stdin.isTTY) throw new UsageError('There is no question. Pass one: agentkit run "…", or by a pipe.')
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of stdin) {
    bytes += chunk.length
    if (bytes > maxBytes) throw new UsageError('The question on the standard input has more than 4 MiB.')
    chunks.push(chunk)
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks)).replace(/\r?\n$/, '')
  } catch {
    throw new UsageError('The standard input is not UTF-8. Pass the question as text.')
  }
}
