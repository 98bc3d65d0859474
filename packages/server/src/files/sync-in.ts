import { setTimeout as sleep } from 'node:timers/promises'
import { loggedRequest, problemEntry } from '../answer/log-problem.ts'
import { ProblemError } from '../answer/problem.ts'
import type { RouteParts } from '../request/parts.ts'
import type { ServerContext } from '../util/server-env.ts'
import type { AgentFiles } from './agent-files.ts'

/**
 * Syncs the knowledge. After the deadline of requests, the sync continues without this request.
 * @returns why the files are not searchable yet; undefined if they are
 */
export async function syncIn(
  { all }: AgentFiles,
  { parts: { limits, log }, context }: { parts: RouteParts; context: ServerContext },
): Promise<string | undefined> {
  const stop = new AbortController()
  const late = sleep(limits.deadlineMs, 'It is still being read.', { signal: stop.signal, ref: false })
  late.catch(() => {})
  const done = Promise.all(all.map((knowledge) => knowledge.sync())).then(
    () => undefined,
    (cause: unknown) => {
      log(
        problemEntry(
          new ProblemError('storage', { detail: 'The files could not be indexed.', cause }),
          loggedRequest(context),
        ),
      )
      return 'It could not be indexed; the next sync tries again.'
    },
  )
  return Promise.race([done, late]).finally(() => stop.abort())
}
