import { editDistance } from '@agentkit/core/internal'
import type { FileRecord } from '../data/file-record.ts'
import { isAt } from '../data/plain-path.ts'

const mostNear = 3
/** The longest name that is compared; comparing longer ones takes long, and real names are shorter. */
const longestName = 200

/**
 * The message to a model about a path without readable files: the reason, or similar names.
 * @returns undefined when there are readable files
 */
export function unknownPath(path: string, records: readonly FileRecord[]): string | undefined {
  const there = records.filter(({ file }) => isAt(path, file))
  if (there.some(({ chunks }) => chunks > 0)) return undefined
  const [first] = there
  if (first?.file.normalize() === path.normalize()) return `${path} cannot be read: ${first.reason ?? first.status}`
  if (first) return `No file in ${path}/ can be read. See list_files for the reasons.`
  const near = nearPaths(path, records)
  const meant = near.length > 0 ? ` Is ${near.map((name) => `"${name}"`).join(' or ')} meant?` : ''
  return `There is no file or folder "${path}".${meant} See list_files for what there is.`
}

/** Files and folders with a similar path or name, the nearest first. */
function nearPaths(path: string, records: readonly FileRecord[]): string[] {
  const names = new Set(records.flatMap(({ file }) => [file, ...foldersOf(file)]))
  return [...names]
    .map((name) => ({ name, away: Math.min(away(path, name), away(lastOf(path), lastOf(name)) + 0.5) }))
    .filter((one) => one.away < Number.POSITIVE_INFINITY)
    .sort((one, other) => one.away - other.away)
    .slice(0, mostNear)
    .map(({ name }) => name)
}

function foldersOf(file: string): string[] {
  return [...file.matchAll(/\//g)].map(({ index }) => file.slice(0, index + 1))
}

function lastOf(path: string): string {
  return path.replace(/\/$/, '').replace(/^.*\//, '')
}

function away(wanted: string, name: string): number {
  const [one, other] = [plain(wanted), plain(name)]
  const most = Math.floor(Math.min(one.length, other.length) / 3)
  const isTooFar = Math.abs(one.length - other.length) > most || one.length > longestName
  const distance = isTooFar ? most + 1 : editDistance(one, other, most)
  return distance > most ? Number.POSITIVE_INFINITY : distance
}

/** Compares without regard to case and punctuation, and mostly to the extension. */
function plain(path: string): string {
  return path
    .toLowerCase()
    .replace(/\.\w+$/, '')
    .replace(/[\s_.-]+|\/$/g, '')
}
