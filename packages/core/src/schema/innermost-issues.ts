import type { StandardIssue } from '../contracts/standard-schema.ts'
import { isRecord } from '../data/message-problem.ts'

type Path = NonNullable<StandardIssue['path']>

/**
 * The issues of the member of a union that a value is meant for, instead of "Invalid input": of the same kind, and with the
 * same constants. Zod has them in an issue of the union, in another form in each of its versions; valibot has those of all
 * members as one list.
 */
export function innermostIssues(issue: StandardIssue): StandardIssue[] {
  const path = issue.path ?? []
  const members = membersOf(issue, path).map((issues) => ({ issues, distance: distanceOf(issues, path) }))
  const nearest = Math.min(...members.map(({ distance }) => distance))
  const meant = members.filter(({ distance }) => distance === nearest).flatMap(({ issues }) => issues)
  return meant.length > 0 ? meant.flatMap(innermostIssues) : [issue]
}

function membersOf(issue: StandardIssue, path: Path): StandardIssue[][] {
  // Fields of zod 4, of zod 3, and of valibot.
  const { errors, unionErrors, type, issues } = issue as {
    [Name in 'errors' | 'unionErrors' | 'type' | 'issues']?: unknown
  }
  // Their paths begin at the union.
  const within = (inner: StandardIssue): StandardIssue => ({ ...inner, path: [...path, ...(inner.path ?? [])] })
  if (Array.isArray(errors)) return errors.map((one) => issuesOf(one).map(within))
  if (Array.isArray(unionErrors)) return unionErrors.map((one) => issuesOf(Object(one).issues))
  const inner = type === 'union' ? issuesOf(issues) : []
  // The issue of plain types names them all.
  return inner.some(({ path }) => path !== undefined) ? [inner.map(within)] : []
}

function issuesOf(list: unknown): StandardIssue[] {
  return Array.isArray(list) ? list.filter(isIssue) : []
}

function isIssue(value: unknown): value is StandardIssue {
  return isRecord(value) && typeof value.message === 'string' && (value.path === undefined || Array.isArray(value.path))
}

/** How far a value is from a member: of another kind or constant, or none of its words. */
function distanceOf(issues: readonly StandardIssue[], path: Path): number {
  return Math.max(0, ...issues.map((issue) => distanceBy(issue, path)))
}

function distanceBy(issue: StandardIssue, path: Path): number {
  const { code, values } = issue as { code?: unknown; values?: unknown } // fields of zod
  const depth = (issue.path ?? []).length - path.length
  if (depth === 0) return code === 'invalid_type' ? 2 : 0
  const isConstant =
    code === 'invalid_literal' || (code === 'invalid_value' && Array.isArray(values) && values.length === 1)
  if (depth === 1 && isConstant) return 2
  return depth === 1 && (code === 'invalid_value' || code === 'invalid_enum_value') ? 1 : 0
}
