import type { Spent } from '@agentkit/core/internal'

/** The counts of a server since it started, for `/metrics`. */
export type Totals = {
  /** Requests by method, route and status, each of a closed list. */
  readonly requests: ReadonlyMap<string, CountedRequests>
  readonly spent: { runs: number; inputTokens: number; outputTokens: number; usd: number }
  countRequest(request: Omit<CountedRequests, 'count'>): void
  /**
   * Counts a run and what it has used.
   * @param hasSettled default true; false for one that continues elsewhere or later
   */
  countRun(spent: Spent, hasSettled?: boolean): void
}

export type CountedRequests = { method: string; route: string; status: number; count: number }

export function createTotals(): Totals {
  const requests = new Map<string, CountedRequests>()
  const spent = { runs: 0, inputTokens: 0, outputTokens: 0, usd: 0 }
  return {
    requests,
    spent,
    countRequest(request) {
      const key = `${request.method} ${request.route} ${request.status}`
      const counted = requests.get(key)
      if (counted) counted.count++
      else requests.set(key, { ...request, count: 1 })
    },
    countRun({ usage = {}, cost }, hasSettled = true) {
      if (hasSettled) spent.runs++
      spent.inputTokens += usage.inputTokens ?? 0
      spent.outputTokens += usage.outputTokens ?? 0
      spent.usd += cost?.usd ?? 0
    },
  }
}
