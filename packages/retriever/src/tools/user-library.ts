import { userFolder } from '@agentkit/core/internal'
import { plainPath } from '../data/plain-path.ts'
import type { Library } from './library.ts'

/** The files of one user, as if the user's folder were the whole library: no path leads out of it, and none names it. */
export function userLibrary(library: Library, userId: string): Library {
  const folder = `${userFolder(userId)}/`
  // `plainPath` of an absolute path ends at the root, so that `..` cannot leave the folder that is put in front of it.
  const inside = (path: string): string => folder + plainPath(`/${path}`)
  const named = <Named extends { file: string }>(one: Named): Named => ({ ...one, file: one.file.slice(folder.length) })
  const isOwn = ({ file }: { file: string }): boolean => file.startsWith(folder)
  return {
    async search(query, { paths = [''], ...options }) {
      const hits = await library.search(query, { ...options, paths: paths.map(inside) })
      return hits.filter(isOwn).map(named)
    },
    async places(file) {
      return (await library.places(inside(file))).filter(isOwn).map(named)
    },
    async chunks(ids) {
      return (await library.chunks(ids)).filter(isOwn).map(named)
    },
    async records() {
      return (await library.records()).filter(isOwn).map(named)
    },
    isStale: (file) => library.isStale(inside(file)),
  }
}
