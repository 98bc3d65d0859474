import { AgentKitError, checkSessionKey, type Message, validateTranscript } from '@agentkit/core'
import { checkOptionNames, isRecord, toUserMessage } from '@agentkit/core/internal'
import type { EvalCase, NamedCase } from '../data/eval-case.ts'
import { limits } from '../limits.ts'

const keys = {
  ...{ id: true, input: true, expected: true, history: true, userId: true, tags: true },
} satisfies Record<keyof EvalCase, true>

/** The unchecked value of a case, and its place: `line 7 of cases.jsonl`. */
export type FoundCase = { value: unknown; where: string }

/**
 * Checks cases, and numbers those without an id.
 * @throws AgentKitError `invalid-argument` for the first wrong one, with its place and the fix
 */
export function checkCases(found: readonly FoundCase[], source: string): NamedCase[] {
  if (found.length === 0) throw invalid(source, 'has no cases. Add one, such as { "input": "…", "expected": "…" }')
  if (found.length > limits.cases) {
    throw invalid(source, `has ${found.length} cases, more than ${limits.cases}. Split it`)
  }
  const places = new Map<string, string>()
  return found.map(({ value, where }, index) => {
    const checked = checkCase(value, where, `${index + 1}`)
    const other = places.get(checked.id)
    if (other !== undefined)
      throw invalid(where, `has the id ${quoted(checked.id)}, as ${other} has. Give it another one`)
    places.set(checked.id, where)
    return checked
  })
}

function checkCase(value: unknown, where: string, number: string): NamedCase {
  if (!isRecord(value))
    throw invalid(where, 'is not a case: a case is an object such as { "input": "…", "expected": "…" }')
  try {
    checkOptionNames(value, keys, { code: 'invalid-argument', of: 'case' })
  } catch (error) {
    throw invalid(where, `is not a case: ${(error as Error).message.replace(/\.$/, '')}`) // it throws AgentKitErrors
  }
  const { id = number, input, history, userId, tags } = value
  if (typeof id !== 'string' || id === '' || id.length > limits.idChars) {
    throw invalid(where, `has a wrong \`id\`: it is a text of 1 to ${limits.idChars} characters`)
  }
  const isInput = typeof input === 'string' ? input.trim() !== '' : Array.isArray(input) && input.length > 0
  if (!isInput) throw invalid(where, 'has no `input`: it is a text that is not empty, or a list of parts')
  checkInput(input as EvalCase['input'], where)
  if (history !== undefined) checkHistory(history, where)
  if (userId !== undefined) checkUser(userId, where)
  if (tags !== undefined && !(Array.isArray(tags) && tags.length <= limits.tags && tags.every(isText))) {
    throw invalid(where, `has wrong \`tags\`: they are a list of at most ${limits.tags} texts`)
  }
  if (!isJSON(value.expected)) throw invalid(where, 'has an `expected` that cannot be written as JSON')
  // Each field was checked above.
  return { ...(value as EvalCase), id }
}

/** Whether a value can be written as JSON: a bigint and a value that contains itself cannot. */
function isJSON(value: unknown): boolean {
  try {
    JSON.stringify(value)
    return true
  } catch {
    return false
  }
}

function checkUser(userId: unknown, where: string): void {
  try {
    checkSessionKey({ userId: userId as string }) // it refuses what is not text
  } catch (error) {
    throw invalid(where, `has a wrong \`userId\`: ${(error as Error).message.replace(/\.$/, '')}`) // it throws AgentKitErrors
  }
}

/** A run of an input that no agent takes would fail, as if its agent did. */
function checkInput(input: EvalCase['input'], where: string): void {
  try {
    toUserMessage(input) // it refuses parts that are none
  } catch (error) {
    throw invalid(where, `has a wrong \`input\`: ${(error as Error).message.replace(/\.$/, '')}`) // it throws AgentKitErrors
  }
}

function isText(value: unknown): boolean {
  return typeof value === 'string'
}

function checkHistory(history: unknown, where: string): void {
  if (!Array.isArray(history) || !history.every(isRecord)) {
    throw invalid(where, 'has a wrong `history`: it is a list of messages such as { "role": "user", "content": "…" }')
  }
  let problem: { index: number; problem: string } | undefined
  try {
    problem = validateTranscript(history as Message[])[0] // it reports what is not a message
  } catch {
    problem = { index: 0, problem: 'is not a message' }
  }
  if (problem) throw invalid(where, `has a wrong \`history\`: message ${problem.index}, ${problem.problem}`)
}

function quoted(text: string): string {
  return JSON.stringify(text.slice(0, 60))
}

export function invalid(where: string, problem: string): AgentKitError {
  const capital = /^(?:line|case) /.test(where) ? `${where.slice(0, 1).toUpperCase()}${where.slice(1)}` : where
  return new AgentKitError('invalid-argument', `${capital} ${problem}.`)
}
