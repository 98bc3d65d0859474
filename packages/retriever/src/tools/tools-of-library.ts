import type { Tool } from '@agentkit/core'
import { isSeparateFolder, separateFolder } from '@agentkit/core/internal'
import type { FileRecord } from '../data/file-record.ts'
import type { Library } from './library.ts'
import { retrievalTools, userTools } from './retrieval-tools.ts'

/** The tools of a library as it changes: the same ones, as long as they know the same files. */
export interface LibraryTools {
  now(): Tool[]
  /** From now on, the tools know these files. */
  remember(records: readonly FileRecord[]): void
  /** From now on, the tools belong to users who have files of their own. */
  separateUsers(): void
}

/** @param folder of its files: another retriever of the process may search it too, and have separated its users */
export function toolsOfLibrary(library: Library, folder: string): LibraryTools {
  let known: { records: readonly FileRecord[]; tools: Tool[] } | undefined
  let separate: Tool[] | undefined
  return {
    now() {
      if (!separate && isSeparateFolder(folder)) separate = userTools(library)
      if (separate) return separate
      known ??= { records: [], tools: retrievalTools(library, []) }
      return known.tools
    },
    remember(records) {
      if (known && isSameSet(known.records, records)) return
      known = { records, tools: retrievalTools(library, records) }
    },
    separateUsers() {
      separateFolder(folder)
      separate ??= userTools(library)
    },
  }
}

/** Whether two lists of records are the same for the tools: the same files, titles and readability. */
function isSameSet(some: readonly FileRecord[], others: readonly FileRecord[]): boolean {
  if (some.length !== others.length) return false
  return some.every((one, index) => {
    const other = others[index]
    return one.file === other?.file && one.title === other.title && one.chunks > 0 === other.chunks > 0
  })
}
