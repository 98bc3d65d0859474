import { createReadStream, existsSync } from 'node:fs'
import { appendFile, open, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { AgentKitError } from '@agentkit/core'
import { isRecord, makeFolder } from '@agentkit/core/internal'
import type { ResultLine, StoredResult } from '../data/stored-result.ts'
import { limits } from '../limits.ts'
import { storageError } from './storage-error.ts'
import { writePieces } from './write-pieces.ts'

/** The results of an eval on disk, one line each. A killed eval continues with them. */
export class ResultsFile {
  readonly #path: string
  #writing: Promise<void> = Promise.resolve()

  /** @throws AgentKitError `storage` when the folder cannot be made */
  constructor(folder: string) {
    this.#path = resultsPath(folder)
    try {
      makeFolder(folder)
    } catch (cause) {
      throw storageError(folder, cause)
    }
  }

  /** Removes the results of these keys; results of other agents, cases and scorers stay. */
  async remove(keys: ReadonlySet<string>): Promise<void> {
    if (!existsSync(this.#path)) return
    await writePieces(this.#path, linesWithout(this.#path, keys))
  }

  /**
   * The results by their key, without their conversations. A line that a killed process has cut off is no result.
   * @throws AgentKitError `storage` for a file that is too large
   */
  async read(): Promise<Map<string, StoredResult>> {
    const results = new Map<string, StoredResult>()
    for await (const { input: _, messages: __, members: ___, ...result } of resultLines(this.#path)) {
      results.set(result.key, result)
    }
    // The next result must not continue a line that a killed process has begun.
    if (await isCutOff(this.#path)) await this.#write('\n')
    return results
  }

  /** Appends a result, after those before it. */
  append(line: ResultLine): Promise<void> {
    return this.#write(lineOf(line))
  }

  #write(text: string): Promise<void> {
    const written = this.#writing.then(() => appendFile(this.#path, text))
    this.#writing = written.catch(() => {})
    return written.catch((cause: unknown) => {
      throw storageError(this.#path, cause)
    })
  }
}

async function* linesWithout(path: string, keys: ReadonlySet<string>): AsyncGenerator<string> {
  for await (const line of resultLines(path)) if (!keys.has(line.key)) yield lineOf(line)
}

/** `readline` also ends a line at U+2028 and U+2029, which JSON has as they are. */
function lineOf(line: ResultLine): string {
  return `${JSON.stringify(line).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')}\n`
}

export function resultsPath(folder: string): string {
  return join(folder, 'results.jsonl')
}

/** Each stored result, in the order in which they were made. */
export async function* resultLines(path: string): AsyncGenerator<ResultLine> {
  if (!existsSync(path)) return
  const { size } = await stat(path)
  if (size > limits.resultsBytes) {
    throw new AgentKitError('storage', `${path} has ${size} bytes, more than ${limits.resultsBytes}. Delete it.`)
  }
  const lines = createInterface({ input: createReadStream(path, 'utf8'), crlfDelay: Number.POSITIVE_INFINITY })
  for await (const text of lines) {
    const line = parse(text)
    if (line) yield line
  }
}

async function isCutOff(path: string): Promise<boolean> {
  if (!existsSync(path)) return false
  const file = await open(path)
  try {
    const { size } = await file.stat()
    if (size === 0) return false
    const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1)
    return buffer[0] !== 0x0a
  } finally {
    await file.close()
  }
}

function parse(text: string): ResultLine | undefined {
  try {
    const value: unknown = JSON.parse(text)
    const isResult =
      isRecord(value) &&
      ['key', 'variant', 'case', 'text'].every((name) => typeof value[name] === 'string') &&
      isRecord(value.scores) &&
      isRecord(value.usage) &&
      typeof value.durationMs === 'number' &&
      typeof value.repeat === 'number'
    return isResult ? (value as ResultLine) : undefined // written by `append`
  } catch {
    return undefined
  }
}
