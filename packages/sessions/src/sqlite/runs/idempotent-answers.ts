import type { IdempotentAnswer, IdempotentAnswers, IdempotentRequest } from '@agentkit/core'
import { storeTime } from '../../util/store-time.ts'
import type { HolderRow } from '../database/holders.ts'
import type { StoreAccess } from '../database/store-access.ts'
import type { Statements } from '../statements/statements.ts'

type AnswerRow = HolderRow & {
  fingerprint: string
  run_id: string | null
  status: number | null
  type: string | null
  body: string | null
  /** NULL when the run has not begun. */
  run: number | null
}

export function idempotentAnswers({ holder, read, write }: StoreAccess): IdempotentAnswers {
  const find = (statements: Statements, { scope, key }: IdempotentRequest): AnswerRow | undefined => {
    // The row has the columns that the statement selects.
    const row = statements.answer.get(scope, key) as AnswerRow | undefined
    if (!row || row.status !== null || row.run !== null) return row
    return holder.isAlive(row, workOf({ scope, key })) ? row : undefined
  }

  return {
    async reserve(request) {
      const known = await read((statements) => find(statements, request))
      if (known) return toAnswer(known)
      const { scope, key, fingerprint } = request
      const row = await write((statements, _touch, hold) => {
        const found = find(statements, request)
        if (found) return found
        statements.reserveAnswer.run(scope, key, fingerprint, holder.id, storeTime())
        holder.beat(statements)
        hold(workOf(request))
        return undefined
      })
      return row && toAnswer(row)
    },

    async store(request, { runId = null, status = null, body = null, type = null }) {
      const { scope, key, fingerprint } = request
      await write(
        (statements) => statements.storeAnswer.run(runId, status, type, body, scope, key, fingerprint).changes > 0,
        (isStored) => {
          // If no row was updated, the reserved answer was deleted with its session.
          if (status !== null || !isStored) holder.release(workOf(request))
        },
      )
    },

    async forget(request) {
      const { scope, key, fingerprint } = request
      await write(
        (statements) => statements.forgetAnswer.run(scope, key, fingerprint, holder.id).changes > 0,
        (isForgotten) => {
          if (isForgotten) holder.release(workOf(request))
        },
      )
    },
  }
}

/** Ids of runs have no line break. */
function workOf({ scope, key }: Pick<IdempotentRequest, 'scope' | 'key'>): string {
  return `answer\n${scope}\n${key}`
}

function toAnswer({ fingerprint, run_id, status, type, body }: AnswerRow): IdempotentAnswer {
  return {
    fingerprint,
    ...(run_id === null ? {} : { runId: run_id }),
    ...(status === null ? {} : { status }),
    ...(body === null ? {} : { body }),
    ...(type === null ? {} : { type }),
  }
}
