import { type Tool, tool } from '@agentkit/core'
import { counted } from '@agentkit/core/internal'
import { longestPath } from '../data/check-arguments.ts'
import type { FileRecord } from '../data/file-record.ts'
import { isAt, plainPath } from '../data/plain-path.ts'
import type { LibraryOf } from './library.ts'
import { unknownPaths } from './unknown-path.ts'

const filesAtOnce = 200

/** Lists the files, and those that cannot be read. */
export function listFilesTool(libraryOf: LibraryOf): Tool {
  return tool({
    name: 'list_files',
    description:
      'Lists the files that you answer from, with their titles and lengths, and which of them cannot be read.',
    input: {
      type: 'object',
      properties: {
        folder: { type: 'string', maxLength: longestPath, description: 'Only what is below this folder.' },
        after: {
          type: 'string',
          maxLength: longestPath,
          description: 'Goes on after this file, where the list before was cut.',
        },
      },
      additionalProperties: false,
    },
    idempotent: true,
    async execute(input, context) {
      const library = libraryOf(context)
      // Validated by the schema.
      const { folder = '', after = '' } = input as { folder?: string; after?: string }
      const path = plainPath(folder)
      const all = await library.records()
      if (all.length === 0) return 'There are no files yet.'
      const records = all.filter(({ file }) => isAt(path, file))
      const [unknown] = records.length === 0 ? await unknownPaths([path], all, context.signal) : []
      if (unknown !== undefined) return unknown
      const asked = plainPath(after)
      // A model may compose the letters of a decomposed name.
      const last = records.find(({ file }) => file.normalize() === asked.normalize())?.file ?? asked
      const left = records.filter(({ file }) => file > last)
      const shown = left.slice(0, filesAtOnce)
      const lines = shown.map(describe)
      const lastShown = shown.at(-1)
      if (left.length > shown.length && lastShown) {
        lines.push(`${left.length - shown.length} more: list_files with after = "${lastShown.file}".`)
      }
      return lines.length > 0 ? lines.join('\n') : 'There are no more files.'
    },
  })
}

function describe({ file, title, pages, characters, chunks, status, reason, stale }: FileRecord): string {
  if (chunks === 0) return `${file}: cannot be read: ${reason ?? status}`
  const facts = [
    ...(title ? [`"${title}"`] : []),
    ...(pages === undefined ? [] : [counted(pages, 'page')]),
    `${characters.toLocaleString('en')} characters`,
    ...(stale ? [`an earlier version: the present one cannot be read (${reason ?? status})`] : []),
    ...(status === 'low-quality' ? [`hard to read: ${reason ?? 'its text may be garbled'}`] : []),
  ]
  return `${file}: ${facts.join(', ')}`
}
