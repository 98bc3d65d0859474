import type { UsageRow } from '@agentkit/core'

/** A row as the databases sum it; Postgres has text for large numbers. */
export type SummedRow = {
  key: string | null
  user_id: string | null
  runs: number | string
  input: number | string | null
  output: number | string | null
  usd: number | null
}

export function toUsageRow({ key, user_id, runs, input, output, usd }: SummedRow): UsageRow {
  return {
    ...(key !== null && { key }),
    ...(user_id !== null && { userId: user_id }),
    ...{ runs: Number(runs), inputTokens: Number(input ?? 0), outputTokens: Number(output ?? 0) },
    ...(usd !== null && { usd }),
  }
}
