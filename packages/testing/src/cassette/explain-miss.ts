import type { ModelRequest } from '@agentkit/core'
import type { RecordedCall } from './parse-cassette.ts'

/** A recorded call that can be replayed. */
export type IndexedCall = {
  recorded: RecordedCall
  /** The position of the call among all calls. */
  index: number
  request: ModelRequest
  isTaken: boolean
}

/** The number of calls that are compared: each miss of a long list of cases compares its own. */
const mostCompared = 200
/** The number of differences that are shown, and the length of a value. */
const mostShown = 6
const mostChars = 100

/** Describes the recorded request that is nearest to a missing one, and the differences. Of many, those to come are compared. */
export function explainMiss(request: ModelRequest, recorded: readonly IndexedCall[]): string {
  const compared = [...recorded.filter(({ isTaken }) => !isTaken), ...recorded.filter(({ isTaken }) => isTaken)]
  const [nearest, ...others] = compared
    .slice(0, mostCompared)
    .map((call) => ({ call, found: differences(call.request, request) }))
  if (!nearest) return ''
  // Among equally similar calls, a call that has not been replayed yet is preferred.
  const rank = ({ call, found }: typeof nearest): number => weightOf(found) + (call.isTaken ? 0.001 : 0)
  const { call, found } = others.reduce((best, other) => (rank(other) < rank(best) ? other : best), nearest)
  const lines = found.slice(0, mostShown).flatMap(showDifference)
  const more = found.length > mostShown ? [`  … and ${found.length - mostShown} more differences`] : []
  const head = `The nearest is call ${call.recorded.call}; it differs in (- recorded, + asked):`
  return [head, ...lines, ...more].join('\n')
}

type Difference = { path: string; recorded: unknown; asked: unknown }

function differences(recorded: unknown, asked: unknown, path = ''): Difference[] {
  if (recorded === asked) return []
  if (!isBranch(recorded) || !isBranch(asked) || Array.isArray(recorded) !== Array.isArray(asked)) {
    return [{ path, recorded, asked }]
  }
  const keys = new Set([...Object.keys(recorded), ...Object.keys(asked)])
  return [...keys].flatMap((key) => differences(recorded[key], asked[key], pathTo(path, key, Array.isArray(asked))))
}

function isBranch(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

function pathTo(path: string, key: string, isList: boolean): string {
  if (isList) return `${path}[${key}]`
  return path === '' ? key : `${path}.${key}`
}

/** Similar texts count as a smaller difference. */
function weightOf(found: readonly Difference[]): number {
  return found.reduce((sum, { recorded, asked }) => {
    if (typeof recorded !== 'string' || typeof asked !== 'string') return sum + 1
    const alike = startInCommon(recorded, asked) + endInCommon(recorded, asked)
    return sum + Math.max(0.01, 1 - alike / Math.max(recorded.length, asked.length))
  }, 0)
}

function startInCommon(one: string, other: string): number {
  let length = 0
  while (length < one.length && one[length] === other[length]) length++
  return length
}

function endInCommon(one: string, other: string): number {
  let length = 0
  while (length < one.length && one.at(-1 - length) === other.at(-1 - length)) length++
  return length
}

function showDifference({ path, recorded, asked }: Difference): string[] {
  const areTexts = typeof recorded === 'string' && typeof asked === 'string'
  const start = areTexts ? Math.max(0, startInCommon(recorded, asked) - mostChars / 4) : 0
  return [`  ${path}`, `    - ${excerpt(recorded, start)}`, `    + ${excerpt(asked, start)}`]
}

/** A value on one line, cut; of a long text the part where the difference starts. */
function excerpt(value: unknown, start: number): string {
  if (value === undefined) return '(nothing)'
  if (typeof value !== 'string') return cut(JSON.stringify(value), 0)
  return value.length <= mostChars ? JSON.stringify(value) : JSON.stringify(cut(value, start))
}

function cut(text: string, start: number): string {
  const end = start + mostChars
  return `${start > 0 ? '…' : ''}${text.slice(start, end)}${end < text.length ? '…' : ''}`
}
