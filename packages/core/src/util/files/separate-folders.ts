import { realPath } from './real-path.ts'

/** The folders in which each user of this process has files of their own. */
const folders = new Set<string>()

/** From now on, the tools of all agents over this folder show a run the files of its user only. */
export function separateFolder(folder: string): void {
  folders.add(realPath(folder))
}

export function isSeparateFolder(folder: string): boolean {
  return folders.size > 0 && folders.has(realPath(folder))
}
