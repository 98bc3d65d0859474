import type { SessionStore } from '@agentkit/core'
import { jsonOf } from '../answer/answer-schemas.ts'
import { ProblemError } from '../answer/problem.ts'
import type { RouteParts } from '../request/parts.ts'
import { defineRoute, type Route } from '../request/route.ts'

/** How long the store may take to answer, in milliseconds. */
const probeMs = 2_000

/** Whether the server takes runs: it has started, is not being stopped, and its session store answers. */
export function readyRoute({ agent, capacity }: RouteParts): Route {
  let probing: Promise<void> | undefined
  return defineRoute({
    method: 'GET',
    path: '/ready',
    tag: 'about',
    summary: 'Says whether the server takes runs',
    answers: {
      200: {
        description: 'It does; otherwise 503',
        content: jsonOf({ status: { const: 'ready' } }),
      },
    },
    async handle(context) {
      const { isStarting, runs } = capacity
      if (isStarting || runs.isClosed) {
        const detail = runs.isClosed ? 'The server is shutting down.' : 'The server is starting.'
        throw new ProblemError('overloaded', { detail, headers: { 'retry-after': '1' }, quiet: true })
      }
      // Requests at the same time share one probe.
      probing ??= probe(agent.sessions).finally(() => {
        probing = undefined
      })
      await probing
      return context.json({ status: 'ready' })
    },
  })
}

/** Reads a run that does not exist. @throws ProblemError `storage` when that fails or takes too long */
async function probe(sessions: SessionStore): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('The session store does not answer.')), probeMs)
  })
  try {
    await Promise.race([sessions.find('run_ready'), late])
  } catch (cause) {
    throw new ProblemError('storage', { cause, headers: { 'retry-after': '5' } })
  } finally {
    clearTimeout(timer)
  }
}
