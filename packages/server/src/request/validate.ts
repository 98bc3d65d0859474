import { type BaseIssue, type GenericSchema, type InferOutput, safeParse } from 'valibot'
import { type FieldError, ProblemError } from '../answer/problem.ts'

/** The most errors of one answer. */
const maxErrors = 20

/**
 * Checks a value of a client by a schema.
 * @throws ProblemError `missing-field` or `invalid-field`, with the path of each field
 */
export function validate<Schema extends GenericSchema>(schema: Schema, value: unknown): InferOutput<Schema> {
  const result = safeParse(schema, value, { abortPipeEarly: true })
  if (result.success) return result.output
  const issues = result.issues.slice(0, maxErrors)
  const missing = issues.filter(isMissing)
  if (missing.length > 0) {
    const names = missing.map((issue) => pathOf(issue).join('.')).join(', ')
    throw new ProblemError('missing-field', { detail: `Required: ${names}.`, errors: missing.map(toError) })
  }
  const [first] = issues
  const name = first ? pathOf(first).join('.') : ''
  const detail = name === '' ? 'The request has an invalid form.' : `The field ${name} ${messageOf(first)}.`
  throw new ProblemError('invalid-field', { detail, errors: issues.map(toError) })
}

function isMissing({ received, expected, kind }: BaseIssue<unknown>): boolean {
  return kind === 'schema' && received === 'undefined' && expected !== 'never'
}

function toError(issue: BaseIssue<unknown>): FieldError {
  return { path: pathOf(issue), message: isMissing(issue) ? 'is required' : messageOf(issue) }
}

function pathOf({ path }: BaseIssue<unknown>): (string | number)[] {
  return (path ?? []).map(({ key }) => (typeof key === 'number' ? key : String(key).slice(0, 100)))
}

/** Servers of models have a field for this, where this server has a header. */
function asStream(issue: BaseIssue<unknown>): string {
  return pathOf(issue).join('.') === 'stream' ? ': send the header "Accept: text/event-stream" for a stream' : ''
}

/** Our own sentences, which never repeat the value that was sent. */
function messageOf(issue: BaseIssue<unknown> | undefined): string {
  if (issue === undefined) return 'is not valid'
  if (issue.expected === 'never') return `is not a field of this request${asStream(issue)}`
  // Our own messages begin with a verb. Messages of the library repeat the value, so they are replaced.
  return /^(?:is|has|must) /.test(issue.message) ? issue.message : `must be ${issue.expected ?? 'valid'}`
}
