import type { IdempotentAnswer, IdempotentAnswers, IdempotentRequest } from '@agentkit/core'
import type { Access } from '../database/access.ts'
import { fromStored, hashOf, toStored } from '../database/text-form.ts'

type AnswerRow = {
  fingerprint: string
  run_id: string | null
  status: number | null
  type: string | null
  body: string | null
  holder: string
  created_at: number
  has_run: boolean
  is_alive: boolean
}

export function idempotentAnswers({ holder, write }: Access): IdempotentAnswers {
  const findText = `SELECT fingerprint, run_id, status, type, body, holder, created_at,
      EXISTS (SELECT 1 FROM agentkit.runs AS r WHERE r.run_id = answers.run_id) AS has_run, ${holder.isAlive} AS is_alive
    FROM agentkit.answers WHERE key = $1`
  /** Another store's answer, or one that is kept. */
  const isKnown = (row: AnswerRow, work: string): boolean =>
    row.status !== null || row.has_run || (row.holder === holder.id ? holder.held(work) !== undefined : row.is_alive)

  return {
    async reserve(request) {
      const key = keyOf(request)
      const work = workOf(key)
      let isHeld = false
      const known = await write(async ({ query, now, again }) => {
        for (;;) {
          const [row] = await query<AnswerRow>(`${findText} FOR UPDATE`, [key])
          if (again && row?.holder === holder.id && row.created_at === now) return undefined
          if (row && isKnown(row, work)) return row
          const values = [key, toStored(request.fingerprint), holder.id, now]
          // One of two concurrent requests finds the row of the other. In the same store this may be before the commit
          // is acknowledged.
          if ((await query(row ? takeText : reserveText, values)).length === 0) continue
          holder.hold(work)
          isHeld = true
          return undefined
        }
      }).catch((error: unknown) => {
        if (isHeld) holder.release(work)
        throw error
      })
      return known && toAnswer(known)
    },

    async store(request, { runId, status = null, body, type }) {
      const key = keyOf(request)
      const stored = await write(
        ({ query }) =>
          query(storeText, [
            ...[key, toStored(request.fingerprint), runId === undefined ? null : toStored(runId), status],
            ...[type === undefined ? null : toStored(type), body === undefined ? null : toStored(body)],
          ]),
        { isSingle: true },
      )
      // If no row was updated, the reserved answer was deleted with its session.
      if (status !== null || stored.length === 0) holder.release(workOf(key))
    },

    async forget(request) {
      const key = keyOf(request)
      const values = [key, toStored(request.fingerprint), holder.id]
      const forgotten = await write(({ query }) => query(forgetText, values), { isSingle: true })
      if (forgotten.length > 0) holder.release(workOf(key))
    },
  }
}

const reserveText = `INSERT INTO agentkit.answers (key, fingerprint, holder, created_at) VALUES ($1, $2, $3, $4)
  ON CONFLICT DO NOTHING RETURNING 1`
const takeText = `UPDATE agentkit.answers SET fingerprint = $2, holder = $3, created_at = $4, run_id = NULL, type = NULL,
  body = NULL WHERE key = $1 RETURNING 1`
const storeText = `UPDATE agentkit.answers SET run_id = coalesce($3, run_id), status = coalesce($4, status),
  type = coalesce($5, type), body = coalesce($6, body) WHERE key = $1 AND fingerprint = $2 RETURNING 1`
const forgetText = 'DELETE FROM agentkit.answers WHERE key = $1 AND fingerprint = $2 AND holder = $3 RETURNING 1'

function keyOf({ scope, key }: Pick<IdempotentRequest, 'scope' | 'key'>): string {
  return hashOf(scope, key)
}

/** Ids of runs have no line break. */
function workOf(key: string): string {
  return `answer\n${key}`
}

function toAnswer({ fingerprint, run_id, status, type, body }: AnswerRow): IdempotentAnswer {
  return {
    fingerprint: fromStored(fingerprint),
    ...(run_id === null ? {} : { runId: fromStored(run_id) }),
    ...(status === null ? {} : { status }),
    ...(body === null ? {} : { body: fromStored(body) }),
    ...(type === null ? {} : { type: fromStored(type) }),
  }
}
