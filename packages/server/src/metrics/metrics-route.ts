import { ProblemError } from '../answer/problem.ts'
import type { Capacity } from '../capacity/capacity.ts'
import type { RouteParts } from '../request/parts.ts'
import { defineRoute, type Route } from '../request/route.ts'
import { type Metric, metricsText, metricsType } from './metrics-text.ts'
import { storeMetrics } from './store-metrics.ts'

/** How long the store may take, in milliseconds. */
const probeMs = 5_000

/** Figures for Prometheus. Their labels are agents, routes and statuses: never users, sessions or runs. */
export function metricsRoute({ agent, capacity, rules }: RouteParts): Route {
  let reading: Promise<Metric[]> | undefined
  return defineRoute({
    method: 'GET',
    path: '/metrics',
    tag: 'about',
    summary: 'Shows figures of the server and of background runs',
    description: 'In the text format of Prometheus. With tokens, only one for any user may read them.',
    answers: { 200: { description: 'The figures', content: { 'text/plain': { type: 'string' } } } },
    async handle(context) {
      if (rules.hasAuth && context.get('principal') !== '*') throw new ProblemError('not-found')
      // Concurrent requests share the queries to the store.
      reading ??= stored(agent.sessions.runs).finally(() => {
        reading = undefined
      })
      const text = metricsText([...ownMetrics(capacity), ...(await reading)])
      return new Response(text, { headers: { 'content-type': metricsType } })
    },
  })
}

type Runs = RouteParts['agent']['sessions']['runs']

/** The figures of this process are answered also while the store is down. */
async function stored(runs: Runs): Promise<Metric[]> {
  if (!runs?.background) return []
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('The session store does not answer.')), probeMs)
  })
  try {
    const metrics = await Promise.race([storeMetrics(runs.background, runs.now()), late])
    return [storeIsUp(1), ...metrics]
  } catch {
    return [storeIsUp(0)]
  } finally {
    clearTimeout(timer)
  }
}

function storeIsUp(value: 0 | 1): Metric {
  return { name: 'agentkit_store_up', type: 'gauge', help: '1 when the session store answers.', values: [{ value }] }
}

function ownMetrics({ runs, totals }: Capacity): Metric[] {
  const { spent } = totals
  const single = (name: string, type: Metric['type'], help: string, value: number): Metric => ({
    ...{ name, type, help },
    values: [{ value }],
  })
  const requests = [...totals.requests.values()]
  return [
    {
      name: 'agentkit_http_requests_total',
      type: 'counter',
      help: 'Answered requests.',
      values: requests.map(({ method, route, status, count }) => ({
        labels: { method, route, status: String(status) },
        value: count,
      })),
    },
    single('agentkit_places_taken', 'gauge', 'Runs that this server executes now.', runs.running),
    single('agentkit_places_waited_for', 'gauge', 'Runs that wait for a place of this server.', runs.queued),
    single('agentkit_runs_settled_total', 'counter', 'Runs that this server has executed.', spent.runs),
    {
      name: 'agentkit_tokens_total',
      type: 'counter',
      help: 'Tokens of the runs that this server has executed.',
      values: [
        { labels: { kind: 'input' }, value: spent.inputTokens },
        { labels: { kind: 'output' }, value: spent.outputTokens },
      ],
    },
    single('agentkit_cost_usd_total', 'counter', 'Cost of the runs that this server has executed.', spent.usd),
  ]
}
