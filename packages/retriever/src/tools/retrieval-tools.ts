import type { Tool } from '@agentkit/core'
import type { FileRecord } from '../data/file-record.ts'
import type { Library, LibraryOf } from './library.ts'
import { listFilesTool } from './list-files-tool.ts'
import { readFileTool } from './read-file-tool.ts'
import { searchFilesTool } from './search-files-tool.ts'
import { userLibrary } from './user-library.ts'

/** The number of files in a tool's description: more would cost every request. */
const namedFiles = 40
const longestName = 120

/**
 * The tools of an agent with files: `search_files`, `read_file` and `list_files`. Their descriptions list the files, so
 * the model knows them before its first call.
 */
export function retrievalTools(library: Library, records: readonly FileRecord[]): Tool[] {
  const known = whatThereIs(records.filter(({ chunks }) => chunks > 0))
  return toolsOf(() => library, known)
}

/**
 * The same tools for agents whose users have files of their own: each call sees the files of the run's user only, and the
 * descriptions, which all users share, name none.
 */
export function userTools(library: Library): Tool[] {
  return toolsOf(({ userId }) => userLibrary(library, userId), 'Each user has files of their own: see list_files.')
}

function toolsOf(libraryOf: LibraryOf, known: string): Tool[] {
  return [searchFilesTool(libraryOf, known), readFileTool(libraryOf), listFilesTool(libraryOf)]
}

/** Names and titles are data: in a tool's description they are cut, and kept on one line. */
function line(text: string): string {
  const plain = text.replace(/\s+/g, ' ').trim()
  return plain.length > longestName ? `${plain.slice(0, longestName - 1).toWellFormed()}…` : plain
}

function whatThereIs(readable: readonly FileRecord[]): string {
  if (readable.length === 0) return 'There are no files yet.'
  const names = readable
    .slice(0, namedFiles)
    .map(({ file, title }) => (title ? `${line(file)} ("${line(title)}")` : line(file)))
  const more = readable.length - names.length
  const count = readable.length === 1 ? 'There is one file' : `There are ${readable.length} files`
  return `${count}: ${names.join(', ')}${more > 0 ? `, and ${more} more: see list_files` : ''}.`
}
