import type { JSONSchema, JSONValue } from '@agentkit/core'
import { type Candidate, leastScore } from './candidate.ts'
import { candidatesFor } from './candidates.ts'
import { isSchema, satisfies } from './check-value.ts'
import { keyedCandidates } from './keyed-candidates.ts'
import type { MessageText } from './message-text.ts'
import { givenValue, type Parameter, parametersOf, type Role } from './parameters.ts'
import { restOfMessage } from './rest-of-message.ts'
import type { Vocabulary } from './vocabulary.ts'

/** What a message gives to a tool. Nothing is missing when every required value was found. */
export type Filling = {
  input: { [key: string]: JSONValue }
  missing: Parameter[]
  chosen: Candidate[]
}

/**
 * Fills the arguments of a schema from a message: only values that stand there and satisfy their schema.
 *
 * @param toolWords stems of the tool's own name, which are no arguments
 * @param known values for parameters, by path joined with ".", that come from elsewhere
 */
export function fillArguments(
  schema: JSONSchema,
  message: MessageText,
  toolWords: Vocabulary,
  known: ReadonlyMap<string, JSONValue> = new Map(),
): Filling {
  const given = wholeInput(schema, message)
  if (given) return { input: given, missing: [], chosen: [] }
  const parameters = parametersOf(schema)
  const open = parameters.filter(({ path }) => !known.has(path.join('.')))
  const candidates = [
    ...keyedCandidates(open, message),
    ...open.flatMap((parameter) => candidatesFor(parameter, message, toolWords)),
  ]
  // What reaches the end of a message that is read in part would be a part of an argument.
  const isWhole = ({ end }: Candidate): boolean => !message.isCut || end < message.text.length - 1
  const whole = candidates.filter(isWhole)
  const withRest = (chosen: Candidate[]): Candidate[] => [
    ...chosen,
    ...freeText(open, chosen, message, toolWords).filter(isWhole),
  ]
  const together = withRest(assign(whole, open, []))
  // What is required comes before what is not, where there is not enough for both.
  const required = assign(
    whole.filter(({ parameter }) => parameter.required),
    open,
    [],
  )
  const lacksSome = countRequired(together) < open.filter((parameter) => parameter.required).length
  const apart = lacksSome ? withRest(assign(whole, open, required)) : together
  const chosen = countRequired(apart) > countRequired(together) ? apart : together
  const values = new Map(known)
  for (const { parameter, value } of chosen) values.set(parameter.path.join('.'), value)
  return { ...assemble(parameters, values), chosen }
}

/** Arguments from values that are known already, by path joined with "."; nothing is looked for. */
export function knownArguments(schema: JSONSchema, known: ReadonlyMap<string, JSONValue>): Filling {
  return { ...assemble(parametersOf(schema), known), chosen: [] }
}

/** Arguments given as JSON in the message itself. */
function wholeInput(schema: JSONSchema, { text }: MessageText): { [key: string]: JSONValue } | undefined {
  const start = text.indexOf('{')
  const end = text.lastIndexOf('}')
  if (start < 0 || end < start) return undefined
  try {
    const value: unknown = JSON.parse(text.slice(start, end + 1))
    const properties = isSchema(schema.properties) ? schema.properties : {}
    // What JSON.parse gives is a JSON value.
    const input = value as { [key: string]: JSONValue }
    const isInput = isSchema(value) && Object.keys(value).some((key) => key in properties) && satisfies(input, schema)
    return isInput ? input : undefined
  } catch {
    return undefined
  }
}

function countRequired(chosen: readonly Candidate[]): number {
  return chosen.filter(({ parameter }) => parameter.required).length
}

/** The best value for each parameter, no two from the same words. */
function assign(
  candidates: readonly Candidate[],
  parameters: readonly Parameter[],
  taken: readonly Candidate[],
): Candidate[] {
  const chosen = [...taken]
  const rank = (candidate: Candidate): number => candidate.score - (candidate.parameter.required ? 0 : 0.15)
  const order = (candidate: Candidate): number => parameters.indexOf(candidate.parameter)
  const sorted = candidates
    .filter(({ parameter, isSpecific }) => parameter.required || isSpecific)
    .sort((a, b) => rank(b) - rank(a) || order(a) - order(b) || a.start - b.start)
  for (const candidate of sorted) {
    const isFree = !chosen.some(
      ({ parameter, start, end }) =>
        parameter === candidate.parameter || (candidate.start < end && start < candidate.end),
    )
    if (isFree && candidate.score >= leastScore) chosen.push(candidate)
  }
  return inTextOrder(chosen)
}

/** Two values that fit two parameters equally go to them in the order in which they were said. */
function inTextOrder(chosen: readonly Candidate[]): Candidate[] {
  return [...chosen].sort((a, b) => a.start - b.start)
}

const freeRoles = new Set<Role>(['text', 'thing'])
const shortRoles = new Set<Role>(['place', 'person', 'language'])

/** What the rest of the message gives to the one text parameter that is still open. */
function freeText(
  parameters: readonly Parameter[],
  chosen: readonly Candidate[],
  message: MessageText,
  toolWords: Vocabulary,
): Candidate[] {
  const open = parameters.filter(
    (parameter) => parameter.required && !chosen.some((candidate) => candidate.parameter === parameter),
  )
  const takers = open.filter(isFreeText)
  const parameter = takers.find(({ role }) => role === 'text') ?? takers[0]
  if (!parameter) return []
  const rest = restOfMessage(
    message,
    chosen.map((candidate) => withOwnName(candidate, message)),
    toolWords,
  )
  if (!rest || rest.text.length < 2 || !parameter.choices.some((schema) => satisfies(rest.text, schema))) return []
  if (!freeRoles.has(parameter.role) && !isShort(rest.text, message)) return []
  return [{ parameter, ...rest, value: rest.text, score: leastScore, isSpecific: false, kind: 'rest' }]
}

/** "high priority" and "limit 5": the parameter's name beside its value is no part of the rest. */
function withOwnName(
  { parameter, start, end }: Candidate,
  { words, text }: MessageText,
): { start: number; end: number } {
  const isOwn = (word: { stem: string } | undefined): boolean =>
    word !== undefined && parameter.words.includes(word.stem)
  const before = words.findLast((word) => word.end <= start)
  const after = words.find((word) => word.start >= end)
  const isBeside = (from: number, to: number): boolean => /^[\s:=]*$/.test(text.slice(from, to))
  return {
    start: before && isOwn(before) && isBeside(before.end, start) ? before.start : start,
    end: after && isOwn(after) && isBeside(end, after.start) ? after.end : end,
  }
}

function isFreeText({ choices, role, path }: Parameter): boolean {
  if (path.length > 2 || !(freeRoles.has(role) || shortRoles.has(role))) return false
  return choices.some(
    ({ type, format, enum: values }) => (type === 'string' || type === undefined) && !format && !values,
  )
}

/** "Paris weather": few words in a short message can be a name. */
function isShort(rest: string, { words }: MessageText): boolean {
  return rest.split(/\s+/).length <= 3 && words.length <= 6 && !/[\d@/]/.test(rest)
}

/** Puts values in their places. An optional object that lacks a value that it requires is left out whole. */
function assemble(parameters: readonly Parameter[], values: ReadonlyMap<string, JSONValue>): Omit<Filling, 'chosen'> {
  const valueFor = (parameter: Parameter): JSONValue | undefined =>
    values.get(parameter.path.join('.')) ?? (parameter.isRequiredInObject ? givenValue(parameter) : undefined)
  const incomplete = parameters.filter((parameter) => parameter.isRequiredInObject && valueFor(parameter) === undefined)
  const missing = incomplete.filter(({ required }) => required)
  const dropped = new Set(incomplete.filter(({ required }) => !required).map(({ path }) => path[0]))
  // What the schema gives by itself does not begin an optional object.
  const begun = new Set([...values.keys()].map((path) => path.split('.')[0]))
  const input: { [key: string]: JSONValue } = {}
  for (const parameter of parameters) {
    const [top] = parameter.path
    const value = valueFor(parameter)
    if (value === undefined || dropped.has(top) || !(parameter.required || begun.has(top))) continue
    put(input, parameter.path, value)
  }
  return { input, missing }
}

function put(input: { [key: string]: JSONValue }, [key = '', ...rest]: readonly string[], value: JSONValue): void {
  const own = Object.hasOwn(input, key) ? input[key] : undefined
  if (rest.length === 0) {
    Object.defineProperty(input, key, { value, enumerable: true, configurable: true, writable: true })
    return
  }
  const inner = isSchema(own) ? (own as { [key: string]: JSONValue }) : {}
  put(inner, rest, value)
  Object.defineProperty(input, key, { value: inner, enumerable: true, configurable: true, writable: true })
}
