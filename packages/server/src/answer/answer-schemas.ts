// JSON Schemas of what several routes answer, for `/openapi.json`.

const text = { type: 'string' }
const time = { type: 'string', format: 'date-time' }

/** The content of a JSON answer: an object with these fields, all of which are there. */
export function jsonOf(properties: Readonly<Record<string, object>>): Readonly<Record<string, object>> {
  return { 'application/json': objectOf(properties) }
}

/** An object with these fields, all of which are there, and fields that may be there. */
export function objectOf(
  properties: Readonly<Record<string, object>>,
  optional: Readonly<Record<string, object>> = {},
): object {
  return { type: 'object', properties: { ...properties, ...optional }, required: Object.keys(properties) }
}

/** The schema of a field that is null while its value is not known. */
export function nullable(schema: { type: string }): object {
  return { ...schema, type: [schema.type, 'null'] }
}

const approval = objectOf({
  approval_id: text,
  call_id: text,
  name: text,
  input: {},
  kind: { enum: ['approval', 'unknown-outcome', 'client-tool'] },
  path: nullable({ type: 'array' }),
  started_at: nullable(time),
})

const usage = { type: 'object' }
const cost = nullable({ type: 'number' })
const sources = { type: 'array', items: { type: 'object' } }
const approvals = { type: 'array', items: approval }

/** The answer of a run that a chat has waited for. */
export const answerContent: Readonly<Record<string, object>> = jsonOf({
  ...{ answer: text, user_id: text, session_id: text, run_id: text, finish_reason: text },
  ...{ usage, cost, sources, approvals },
})

/** The fields of each run. In lists there is no `answer`. */
export const runFields: Readonly<Record<string, object>> = {
  run_id: text,
  agent_id: text,
  user_id: text,
  session_id: nullable(text),
  status: { enum: ['queued', 'running', 'waiting', 'done', 'failed'] },
  finish_reason: nullable(text),
  error: { anyOf: [objectOf({ code: text, detail: text }), { type: 'null' }] },
  approvals,
  usage: nullable(usage),
  cost,
  sources,
  attempts: { type: 'integer' },
  created_at: time,
  started_at: nullable(time),
  ended_at: nullable(time),
}

const ifReplaced = { replaced: { const: true } }

/** A run in a list. */
export const listedRun: object = objectOf(runFields, ifReplaced)

export const runContent: Readonly<Record<string, object>> = {
  'application/json': objectOf({ ...runFields, answer: nullable(text) }, ifReplaced),
}
