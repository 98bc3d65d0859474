import type { UsageRow } from '@agentkit/core'
import { check, metadata, object, optional, picklist, pipe, string, transform } from 'valibot'
import { jsonOf, nullable, objectOf } from '../answer/answer-schemas.ts'
import { ProblemError } from '../answer/problem.ts'
import { preferred } from '../request/accept.ts'
import { anyCallerOf, callerOf } from '../request/caller.ts'
import { idField } from '../request/fields.ts'
import type { RouteParts } from '../request/parts.ts'
import { defineRoute, type Route } from '../request/route.ts'
import { runStoreOf } from '../request/run-store.ts'

/** More runs would take the store too long at once, and more rows the reader. */
const most = { runs: 100_000, rows: 10_000 }

const isoDate = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?Z)?$/
const dateField = pipe(
  string('must be a string'),
  check(
    (text) => isoDate.test(text) && new Date(text).toJSON()?.startsWith(text.slice(0, 10)) === true,
    'must be a date such as 2026-11-24',
  ),
  metadata({ jsonSchema: { pattern: isoDate.source } }),
  transform((text) => Date.parse(text)),
)

const query = object({
  user_id: optional(idField),
  from: optional(dateField),
  to: optional(dateField),
  by: optional(picklist(['day', 'model', 'session'], 'must be one of day, model, session'), 'day'),
})

const figures = {
  runs: { type: 'integer' },
  input_tokens: { type: 'integer' },
  output_tokens: { type: 'integer' },
  cost: nullable({ type: 'number' }),
}

/** The keys of a row: those that its `by` names. */
const keys = {
  day: { type: 'string' },
  model: nullable({ type: 'string' }),
  session_id: nullable({ type: 'string' }),
  user_id: nullable({ type: 'string' }),
}

/** The usage of stored runs, including runs of other processes and background runs. */
export function usageRoute({ agent }: RouteParts): Route {
  return defineRoute({
    method: 'GET',
    path: '/api/v1/usage',
    tag: 'about',
    summary: 'Sums the tokens and the cost of stored runs by day, model or session',
    description:
      'By day (UTC) on which a run was created, by the model that gave its last answer, or by session; `to` is ' +
      'exclusive. `cost` is that of the runs whose cost is known, in US dollars, and null where none is. As CSV with ' +
      '`Accept: text/csv`. A token for any user may leave `user_id` out.',
    query,
    answers: {
      200: {
        description: 'The rows, and their sum',
        content: {
          ...jsonOf({
            rows: {
              type: 'array',
              items: { ...objectOf(figures), properties: { ...keys, ...figures } },
            },
            total: objectOf(figures),
          }),
          'text/csv': { type: 'string' },
        },
      },
    },
    async handle(context, { query: { user_id, from, to, by } }) {
      const isForAll = context.get('principal') === '*'
      const userId = isForAll ? anyCallerOf(context, user_id) : callerOf(context, user_id)
      const runs = runStoreOf(agent)
      if (!runs.usage) throw new ProblemError('unsupported', { detail: 'The session store does not sum usage.' })
      const owner = { agentId: agent.id, ...(userId !== undefined && { userId }) }
      const range = { ...(from !== undefined && { from }), ...(to !== undefined && { to }) }
      const found = await runs.usage(owner, { by, ...range, runs: most.runs, limit: most.rows + 1 })
      if (!found || found.length > most.rows) {
        const message = found ? `has more than ${most.rows} rows` : `has more than ${most.runs} runs`
        const detail = `The range ${message}. Name a shorter one by \`from\` and \`to\`.`
        throw new ProblemError('invalid-field', { detail, errors: [{ path: ['from'], message }] })
      }
      const rows = found.map((row) => rowBody(by, row))
      const format = preferred(context.req.header('accept'), ['application/json', 'text/csv'])
      if (format !== 'text/csv') return context.json({ rows, total: totalOf(found) })
      return new Response(csvOf(columnsOf(by), rows), { headers: { 'content-type': 'text/csv; charset=utf-8' } })
    },
  })
}

type By = 'day' | 'model' | 'session'
type Row = Record<string, string | number | null>

function columnsOf(by: By): string[] {
  const keys = by === 'session' ? ['user_id', 'session_id'] : [by]
  return [...keys, 'runs', 'input_tokens', 'output_tokens', 'cost']
}

function rowBody(by: By, { key, userId, runs, inputTokens, outputTokens, usd }: UsageRow): Row {
  const keys = by === 'session' ? { session_id: key ?? null, user_id: userId ?? null } : { [by]: key ?? null }
  return { ...keys, runs, input_tokens: inputTokens, output_tokens: outputTokens, cost: usd ?? null }
}

function totalOf(rows: readonly UsageRow[]): Row {
  const sum = (read: (row: UsageRow) => number): number => rows.reduce((total, row) => total + read(row), 0)
  const isKnown = rows.some(({ usd }) => usd !== undefined)
  return {
    runs: sum(({ runs }) => runs),
    input_tokens: sum(({ inputTokens }) => inputTokens),
    output_tokens: sum(({ outputTokens }) => outputTokens),
    cost: isKnown ? sum(({ usd = 0 }) => usd) : null,
  }
}

/** RFC 4180. A text that a spreadsheet would compute begins with an apostrophe. */
function csvOf(columns: readonly string[], rows: readonly Row[]): string {
  const cell = (value: string | number | null | undefined): string => {
    if (typeof value !== 'string') return String(value ?? '')
    const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
  }
  const lines = [columns.join(','), ...rows.map((row) => columns.map((column) => cell(row[column])).join(','))]
  return `${lines.join('\r\n')}\r\n`
}
