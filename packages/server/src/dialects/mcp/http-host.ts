import type { AgentEvent } from '@agentkit/core'
import { loggedRequest, logProblem } from '../../answer/log-problem.ts'
import type { ProblemError } from '../../answer/problem.ts'
import type { Hold } from '../../capacity/held-bytes.ts'
import { boundRun } from '../../chat/run-chat.ts'
import { agentFiles, scopeOf } from '../../files/agent-files.ts'
import { noRoom } from '../../request/body-problems.ts'
import { mayDecide } from '../../request/caller.ts'
import type { RouteParts } from '../../request/parts.ts'
import type { ServerContext } from '../../util/server-env.ts'
import { decideRun } from '../common/decide-run.ts'
import { dialectCaller } from '../common/dialect-caller.ts'
import type { CallsInProgress } from './calls-in-progress.ts'
import type { RequestId } from './mcp-error.ts'
import type { MCPHost } from './mcp-host.ts'

/** The host of one request over HTTP. */
export type HTTPHost = MCPHost & {
  /** Why it was refused. */
  readonly problem: ProblemError | undefined
  /** Whether the client has cancelled the call by a message of its own. */
  readonly isCancelled: boolean
}

export type HTTPHostOptions = { id: RequestId; held: Hold; calls: CallsInProgress }

/** @throws ProblemError for another user than the token's */
export function httpHost(context: ServerContext, parts: RouteParts, { id, held, calls }: HTTPHostOptions): HTTPHost {
  const { agent, capacity, rules, log } = parts
  const userId = dialectCaller(context)
  let refused: ProblemError | undefined
  let isCancelled = false
  const cancellable = async <Result>(
    signal: AbortSignal,
    run: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> => {
    const call = calls.begin(userId, id)
    try {
      return await run(AbortSignal.any([signal, call.signal]))
    } finally {
      isCancelled = call.signal.aborted
      call.end()
    }
  }
  return {
    agent,
    userId,
    mayDecide: mayDecide(context, rules),
    get problem() {
      return refused
    },
    get isCancelled() {
      return isCancelled
    },
    async ask({ message, sessionId }, { signal, onEvent }) {
      const request = { question: message, history: [], userId, sessionId }
      // The answer is made of the events.
      const answer = { type: 'application/json', read: onEvent, whole: () => new Response() } as const
      await cancellable(signal, (cancelled) =>
        boundRun({ request, answer, context, parts, release: held.handOver(), signal: cancelled }),
      )
    },
    async decide(stored, decisions, { signal, onEvent }) {
      const { runId } = stored.record
      const events = await decideRun(context, parts, stored, { decisions, userId })
      if (!events) return false
      context.set('runId', runId)
      const source = events((event: AgentEvent) => {
        onEvent(event)
        return ''
      })
      const cancel = (): void => {
        source.leave()
        void agent.cancel(runId, { userId }).catch(() => {})
      }
      await cancellable(signal, async (cancelled) => {
        cancelled.addEventListener('abort', cancel)
        if (cancelled.aborted) cancel()
        await source.read(() => undefined)
        cancelled.removeEventListener('abort', cancel)
      })
      return true
    },
    files() {
      const files = agentFiles(agent)
      if (!files || (rules.perUserFiles && !isUserNamed(context))) return undefined
      return { files, scope: scopeOf(context, files, parts, { userId, changes: false }) }
    },
    reserve(bytes) {
      if (!held.set(bytes)) throw noRoom(capacity.runs)
    },
    onProblem(problem) {
      refused = problem
      logProblem(problem, loggedRequest(context), log)
    },
    onFailure: (problem) => logProblem(problem, loggedRequest(context), log),
    decisionRoute(runId, { approvalId, kind }) {
      const path = `${rules.basePath}/api/v1/runs/${encodeURIComponent(runId)}/approvals/${approvalId}`
      const user = JSON.stringify(userId)
      const done = kind === 'client-tool' ? '"result": …' : '"approve": true'
      return `POST ${path} with { "user_id": ${user}, ${done} }, or "approve": false`
    },
  }
}

/** Files of a user are shown only to a request that says whose they are. */
function isUserNamed(context: ServerContext): boolean {
  const principal = context.get('principal')
  return (principal !== undefined && principal !== '*') || context.req.header('x-user-id') !== undefined
}
