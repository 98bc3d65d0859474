import type { AgentRun, Runnable } from '@agentkit/core'
import { reported, separateUsers, userFolder } from '@agentkit/core/internal'
import { ProblemError, thrownProblem } from '../../answer/problem.ts'
import { agentFiles } from '../../files/agent-files.ts'
import { createLog, describeError, type Log } from '../../util/log.ts'
import type { MCPHost, Watch } from './mcp-host.ts'

export type LocalHostOptions = {
  /** The user whose sessions, runs and files are used; default `default`. */
  userId?: string
  /** Each user has files of their own; default: files belong to the agent. */
  perUserFiles?: boolean
  /** Where failures are logged; default `"human"`, a line on standard error. */
  log?: Log
}

const maxRuns = 32

/**
 * The host of a connection in this process.
 * @throws AgentKitError `invalid-config` where `perUserFiles` is not possible
 */
export function localHost(agent: Runnable, { userId: named, perUserFiles = false, log }: LocalHostOptions): MCPHost {
  const userId = named ?? 'default'
  if (perUserFiles) separateUsers(agent)
  const write = createLog(log)
  const report = ({ status, quiet, code, detail: message, cause }: ProblemError): void => {
    if (status < 500 || quiet) return
    const about = cause === undefined ? {} : { error: describeError(cause) }
    write({ time: new Date().toISOString(), level: 'error', message, code, ...about })
  }
  const running = new Set<Promise<void>>()
  const read = async (begin: () => AgentRun, { onEvent }: Watch): Promise<void> => {
    if (running.size >= maxRuns) {
      throw new ProblemError('overloaded', { detail: `This server runs at most ${maxRuns} calls at once.` })
    }
    const { promise, resolve } = Promise.withResolvers<void>()
    running.add(promise)
    try {
      for await (const event of reported(begin())) onEvent(event)
    } catch (error) {
      throw thrownProblem(error)
    } finally {
      running.delete(promise)
      resolve()
    }
  }
  return {
    agent,
    userId,
    mayDecide: true,
    ask({ message, sessionId }, watch) {
      const options = { userId, sessionId, signal: watch.signal, onApproval: 'end' } as const
      return read(() => agent.stream(message, options), watch)
    },
    async decide({ record: { runId } }, decisions, watch) {
      await agent.decide(runId, decisions, { userId, by: userId }).catch((error: unknown) => {
        throw thrownProblem(error)
      })
      const now = await agent.sessions.runs?.read(runId)
      if (now?.record.status !== 'running') return false
      await read(() => agent.resume(runId, {}, { userId, signal: watch.signal, onApproval: 'end' }), watch)
      return true
    },
    files() {
      const files = agentFiles(agent)
      if (!files || (perUserFiles && named === undefined)) return undefined
      const name = userFolder(userId)
      const scope = perUserFiles
        ? { folder: `${files.folder}/${name}`, prefix: `${name}/` }
        : { folder: files.folder, prefix: '' }
      return { files, scope }
    },
    reserve() {},
    onProblem: report,
    onFailure: report,
    async settled() {
      await Promise.all(running)
    },
    decisionRoute: (runId, { approvalId }) =>
      `POST /api/v1/runs/${encodeURIComponent(runId)}/approvals/${approvalId} of a server with the same sessions`,
  }
}
