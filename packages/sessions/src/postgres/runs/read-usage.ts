import { isAgentKitError, type RunStore, type UsageRow } from '@agentkit/core'
import { type SummedRow, toUsageRow } from '../../util/usage-rows.ts'
import type { Query } from '../database/database.ts'
import { fromStored, toStored } from '../database/text-form.ts'

/** A message without the escapes of characters that Postgres has no text for: the character 0, and halves of pairs. Few have any. */
const readable = (body: string): string =>
  `CASE WHEN position('\\u' IN ${body}) > 0 AND ${body} ~ '\\\\u(0000|d[89a-f])' THEN regexp_replace(${body}, '(\\\\[^u]|\\\\u(?!0000|d[89a-f]))|\\\\u....', '\\1', 'g') ELSE ${body} END`

/** SQL: of the last answer of the run. */
function lastModel(model: string): string {
  return `(SELECT ${model} FROM agentkit.messages AS m
    WHERE m.run = r.number AND m.body LIKE '%"role":"assistant"%' ORDER BY m.position DESC LIMIT 1)`
}

const keys = {
  day: "to_char(to_timestamp(r.created_at / 1000.0) AT TIME ZONE 'UTC', 'YYYY-MM-DD')",
  model: lastModel(`${readable('m.body')}::json ->> 'model'`),
  // The session of a run without one has another agent.
  session: 'CASE WHEN s.agent_id = r.agent_id THEN s.session_id END',
}

/** Where a message is damaged, which the cast refuses: the model, where a message ends with it, as this library writes it. */
const modelAtEnd = lastModel(`substring(m.body FROM '"model":"([^"\\\\]+)"(?:,"v":1)?}$')`)

/** The usage of runs, summed by day, model or session. */
export async function readUsage(
  query: Query,
  ...[{ agentId, userId }, { by, from = 0, to = Number.MAX_SAFE_INTEGER, runs, limit }]: Parameters<
    NonNullable<RunStore['usage']>
  >
): Promise<UsageRow[] | undefined> {
  const range = [toStored(agentId), from, to, ...(userId === undefined ? [] : [toStored(userId)])]
  const where = `r.root IS NULL AND r.agent_id = $1 AND r.created_at >= $2 AND r.created_at < $3
    ${userId === undefined ? '' : 'AND r.user_id = $4'}`
  const last = `$${range.length + 1}`
  const [counted] = await query<{ count: string }>(
    `SELECT count(*) AS count FROM (SELECT 1 FROM agentkit.runs AS r WHERE ${where} LIMIT ${last}) AS counted`,
    [...range, runs + 1],
  )
  if (Number(counted?.count) > runs) return undefined
  const user = by === 'session' ? 'r.user_id' : 'NULL'
  const read = (key: string): Promise<SummedRow[]> =>
    query<SummedRow>(
      `SELECT * FROM (SELECT ${key} AS key, ${user} AS user_id, count(*) AS runs,
        ${field('usage', 'inputTokens')} AS input, ${field('usage', 'outputTokens')} AS output, ${field('cost', 'usd')} AS usd
      FROM agentkit.runs AS r ${by === 'session' ? 'JOIN agentkit.sessions AS s ON s.id = r.session' : ''}
      WHERE ${where} GROUP BY 1, 2) AS summed
      ORDER BY key COLLATE "C" NULLS FIRST, user_id COLLATE "C" LIMIT ${last}`,
      [...range, limit],
    )
  const rows = await read(keys[by]).catch((error) => {
    if (by !== 'model' || !isInvalidText(error)) throw error
    return read(modelAtEnd)
  })
  return rows.map((row) => {
    const { key, user_id } = row
    return toUsageRow({ ...row, key: key && fromStored(key), user_id: user_id && fromStored(user_id) })
  })
}

function isInvalidText(error: unknown): boolean {
  return isAgentKitError(error) && Object(error.cause).code === '22P02'
}

/** Read as text: a cast of a damaged value would fail the whole query. Patterns are slow on long texts, so one sees the number alone. */
function field(column: string, name: string): string {
  const value = `split_part(translate(split_part(r.${column}, '"${name}":', 2), '}', ','), ',', 1)`
  return `sum(CASE WHEN ${value} ~ '^[0-9]+(\\.[0-9]+)?(e[+-]?[0-9]+)?$' THEN ${value}::float8 END)`
}
