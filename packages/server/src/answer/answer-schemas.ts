// JSON Schemas of what several routes answer, for `/openapi.json`.

const text = { type: 'string' }
const time = { type: 'string', format: 'date-time' }

/** The content of a JSON answer: an object with these fields, all of which are there. */
export function jsonOf(properties: Readonly<Record<string, object>>): Readonly<Record<string, object>> {
  return { 'application/json': objectOf(properties) }
}

export function objectOf(properties: Readonly<Record<string, object>>): object {
  return { type: 'object', properties, required: Object.keys(properties) }
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

/** The fields of a run. In lists there is no `answer`. */
export const runFields: Readonly<Record<string, object>> = {
  run_id: text,
  agent_id: text,
  user_id: text,
  session_id: nullable(text),
  status: { enum: ['queued', 'running', 'waiting', 'done', 'failed'] },
  finish_reason: nullable(text),
  error: { anyOf: [objectOf({ code: text, detail: text }), { type: 'null' }] },
  approvals: { type: 'array', items: approval },
  usage: nullable({ type: 'object' }),
  cost: nullable({ type: 'number' }),
  sources: { type: 'array', items: { type: 'object' } },
  attempts: { type: 'integer' },
  created_at: time,
  started_at: nullable(time),
  ended_at: nullable(time),
}

export const runContent: Readonly<Record<string, object>> = jsonOf({ ...runFields, answer: nullable(text) })
