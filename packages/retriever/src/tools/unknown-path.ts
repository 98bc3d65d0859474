import { editDistance } from '@agentkit/core/internal'
import type { FileRecord } from '../data/file-record.ts'
import { isBelow } from '../data/plain-path.ts'
import { areFar, lettersOf } from '../util/letter-set.ts'
import { type TimeSlices, timeSlices } from '../util/time-slices.ts'

const mostNear = 3
/** For how many paths similar names are looked for: a model may send a hundred, and there may be many files. */
const mostGuessed = 10
/** The longest name that is compared; comparing longer ones takes long, and real names are shorter. */
const longestName = 200

/**
 * The messages to a model about the paths without readable files: the reason, or similar names.
 * @param paths each in the form of `plainPath`
 */
export async function unknownPaths(
  paths: readonly string[],
  records: readonly FileRecord[],
  signal: AbortSignal,
): Promise<string[]> {
  const slices = timeSlices(signal)
  const composed = records.map(({ file }) => file.normalize())
  const messages: string[] = []
  let names: Name[] | undefined
  let guessed = 0
  for (const path of paths) {
    const isThere = isBelow(path.normalize())
    const there = records.filter((_, index) => isThere(composed[index] ?? ''))
    if (slices.isOver) await slices.next()
    if (there.some(({ chunks }) => chunks > 0)) continue
    const [first] = there
    if (first) {
      const isFile = first.file.normalize() === path.normalize()
      const reason = `${path} cannot be read: ${first.reason ?? first.status}`
      messages.push(isFile ? reason : `No file in ${path}/ can be read. See list_files for the reasons.`)
      continue
    }
    names ??= await namesOf(records, slices)
    const near = guessed++ < mostGuessed ? await nearPaths(path, names, slices) : []
    const meant = near.length > 0 ? ` Is ${near.map((name) => `"${name}"`).join(' or ')} meant?` : ''
    messages.push(`There is no file or folder "${path}".${meant} See list_files for what there is.`)
  }
  return messages
}

/** A path and its last part, as they are compared. */
type Name = { name: string; whole: Plain; last: Plain }
type Plain = { text: string; letters: number }

/** Files and folders. */
async function namesOf(records: readonly FileRecord[], slices: TimeSlices): Promise<Name[]> {
  const names = new Map<string, Name>()
  for (const { file } of records) {
    for (const name of [file, ...foldersOf(file)]) if (!names.has(name)) names.set(name, toName(name))
    if (slices.isOver) await slices.next()
  }
  return [...names.values()]
}

/** Files and folders with a similar path or name, the nearest first. */
async function nearPaths(path: string, names: readonly Name[], slices: TimeSlices): Promise<string[]> {
  const wanted = toName(path)
  const near: { name: string; distance: number }[] = []
  for (const { name, whole, last } of names) {
    const distance = Math.min(away(wanted.whole, whole), away(wanted.last, last) + 0.5)
    if (distance < Number.POSITIVE_INFINITY) near.push({ name, distance })
    if (slices.isOver) await slices.next()
  }
  return near
    .sort((one, other) => one.distance - other.distance)
    .slice(0, mostNear)
    .map(({ name }) => name)
}

function toName(name: string): Name {
  return { name, whole: plain(name), last: plain(lastOf(name)) }
}

function foldersOf(file: string): string[] {
  return [...file.matchAll(/\//g)].map(({ index }) => file.slice(0, index + 1))
}

function lastOf(path: string): string {
  return path.replace(/\/$/, '').replace(/^.*\//, '')
}

function away(wanted: Plain, name: Plain): number {
  const [one, other] = [wanted.text, name.text]
  const most = Math.floor(Math.min(one.length, other.length) / 3)
  const isTooFar = Math.abs(one.length - other.length) > most || one.length > longestName
  const distance = isTooFar || areFar(wanted.letters, name.letters, most) ? most + 1 : editDistance(one, other, most)
  return distance > most ? Number.POSITIVE_INFINITY : distance
}

/** Compares without regard to case and punctuation, and mostly to the extension. */
function plain(path: string): Plain {
  const text = path
    .toLowerCase()
    .replace(/\.\w+$/, '')
    .replace(/[\s_.-]+|\/$/g, '')
  return { text, letters: lettersOf(text) }
}
