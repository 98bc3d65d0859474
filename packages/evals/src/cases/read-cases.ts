import { open } from 'node:fs/promises'
import { isAbsolute } from 'node:path'
import { AgentKitError } from '@agentkit/core'
import type { EvalCase, NamedCase } from '../data/eval-case.ts'
import { limits } from '../limits.ts'
import { checkCases, invalid } from './check-case.ts'
import { csvCases } from './csv-cases.ts'
import { unreadable } from './decode-lines.ts'
import { jsonlCases } from './jsonl-cases.ts'

/**
 * The cases of an eval: a list, or a file of JSONL or CSV, by its extension.
 *
 * @throws AgentKitError `not-found` when there is no such file; `unreadable-file` for one that is no UTF-8, or too large;
 *   `invalid-argument` for a wrong case, with its line
 */
export async function readCases(cases: readonly EvalCase[] | string): Promise<NamedCase[]> {
  if (typeof cases === 'string') return readCasesFile(cases)
  if (Array.isArray(cases)) {
    return checkCases(
      // A hole of the list is a wrong case too.
      Array.from(cases, (value, index) => ({ value, where: `case ${index + 1}` })),
      '`cases`',
    )
  }
  throw new AgentKitError('invalid-argument', '`cases` is a list of cases, or the path of a .jsonl or .csv file.')
}

async function readCasesFile(path: string): Promise<NamedCase[]> {
  const [, extension = ''] = /\.([a-z]+)$/i.exec(path) ?? []
  const parse = { jsonl: jsonlCases, ndjson: jsonlCases, csv: csvCases }[extension.toLowerCase()]
  if (!parse)
    throw invalid('`cases`', `is a path that ends in .jsonl or .csv, not ${JSON.stringify(path.slice(0, 200))}`)
  const bytes = await readBytes(path)
  // Excel writes a byte order mark.
  const start = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0
  return checkCases(await parse(bytes.subarray(start), path), path)
}

async function readBytes(path: string): Promise<Buffer> {
  const file = await open(path).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') {
      const from = isAbsolute(path) ? '' : ` in ${process.cwd()}, where the path begins`
      throw new AgentKitError('not-found', `There is no file of cases ${path}${from}.`, { cause })
    }
    throw unreadable(path, `cannot be read: ${cause.code}`, cause)
  })
  try {
    const stats = await file.stat()
    if (!stats.isFile()) throw unreadable(path, 'is not a file')
    if (stats.size > limits.casesBytes) {
      throw unreadable(path, `has ${stats.size} bytes, more than ${limits.casesBytes}. Split it`)
    }
    return await file.readFile()
  } finally {
    await file.close()
  }
}
