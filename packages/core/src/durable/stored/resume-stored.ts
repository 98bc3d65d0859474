import { AgentKitError, isAgentKitError, messageOf } from '../../data/errors.ts'
import type { AgentSpec, RunScope } from '../../loop/run/types.ts'
import { runAgent } from '../../loop/run-agent.ts'
import type { RunResult } from '../../runs/driver/run.ts'
import { follow } from '../../runs/follow.ts'
import { endOfTree } from '../../runs/tree-spent.ts'
import { cancelled } from '../../sessions/end-event.ts'
import { redactSecrets } from '../../util/text/redact.ts'
import { backgroundOf } from '../queue/background-of.ts'
import { warnWithoutWorker } from '../queue/running-workers.ts'
import { resultOf } from './result-of.ts'

/**
 * Resumes a stored run with decisions. A background run that calls members is continued by workers: it is then followed,
 * until it ends or waits. Never rejects.
 */
export async function resumeStored(agent: AgentSpec, scope: RunScope): Promise<RunResult> {
  const left = await runAgent(agent, scope)
  const { sessions: store, id: agentId, approvalMs, outputFormat } = agent
  const { runId, signal, events, handover, approvals } = scope
  if (!handover?.isDelegated) return left
  const owner = { agentId, store, approvalMs, outputFormat }
  try {
    await warnWithoutWorker(backgroundOf(store), agentId)
    for await (const event of follow(store, runId, { after: events?.lastSeq() ?? 0, signal })) {
      await events?.relay(event)
      // A reader that leaves now cancels nothing: the run has ended, or waits.
      if (event.type === 'run-end') return await resultOf(owner, runId, {})
    }
    const stored = approvals.isCancelled() ? await store.runs?.read(runId) : undefined
    if (stored) await store.runs?.cancel(runId, await endOfTree(store, stored, cancelled))
    return await resultOf(owner, runId, approvals.isCancelled() ? {} : { signal })
  } catch (cause) {
    if (isAgentKitError(cause)) return { ...left, finishReason: 'aborted', output: undefined, error: cause }
    const message = `The session store failed: ${redactSecrets(messageOf(cause))}`
    const error = new AgentKitError('storage', message, { cause, runId })
    return { ...left, finishReason: 'error', output: undefined, error }
  }
}
