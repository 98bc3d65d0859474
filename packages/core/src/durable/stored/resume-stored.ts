import { AgentKitError, isAgentKitError, messageOf } from '../../data/errors.ts'
import type { AgentSpec, RunScope } from '../../loop/run/types.ts'
import { runAgent } from '../../loop/run-agent.ts'
import type { RunResult } from '../../runs/driver/run.ts'
import { follow } from '../../runs/follow.ts'
import { endOfTree } from '../../runs/tree-spent.ts'
import { cancelled } from '../../sessions/end-event.ts'
import { redactedInfo, redactSecrets } from '../../util/text/redact.ts'
import { backgroundOf } from '../queue/background-of.ts'
import { warnWithoutWorker } from '../queue/running-workers.ts'
import { type ResultOwner, resultOf } from './result-of.ts'

/**
 * Resumes a stored run with decisions. A background run that calls members is continued by workers, and any run by another
 * process that was faster: it is then followed, until it ends or waits. Never rejects.
 */
export async function resumeStored(agent: AgentSpec, scope: RunScope): Promise<RunResult> {
  const left = await runAgent(agent, scope)
  const { sessions: store, id: agentId, approvalMs, outputFormat } = agent
  const { runId, signal, handover, approvals } = scope
  if (!handover?.isDelegated) return left
  const owner = { agentId, store, approvalMs, outputFormat }
  try {
    const before = await store.runs?.read(runId)
    if (before?.isBackground) await warnWithoutWorker(backgroundOf(store), agentId)
    const ended = await (before?.keepsEvents ? followed(owner, scope) : resultElsewhere(owner, scope))
    if (ended) return ended
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

/** @returns the result; `undefined` where the signal aborts before it */
async function followed(owner: ResultOwner, { runId, signal, events }: RunScope): Promise<RunResult | undefined> {
  for await (const event of follow(owner.store, runId, { after: events?.lastSeq() ?? 0, signal })) {
    await events?.relay(event)
    // A reader that leaves now cancels nothing: the run has ended, or waits.
    if (event.type === 'run-end') return await resultOf(owner, runId, {})
  }
  return undefined
}

/** As `followed`, of a run that keeps no events: its reader receives its end alone. */
async function resultElsewhere(owner: ResultOwner, { runId, signal, emit }: RunScope): Promise<RunResult | undefined> {
  const result = await resultOf(owner, runId, { signal }).catch((error) => {
    if (!signal.aborted) throw error
  })
  if (!result) return undefined
  const { finishReason, text, approvals, usage, cost, warnings, error } = result
  await emit({ type: 'run-start' })
  if (text !== '') await emit({ type: 'text-delta', text })
  for (const { path: _, ...approval } of approvals) await emit({ type: 'approval-request', ...approval })
  const ended = { finishReason, text, usage, ...(cost && { cost }), ...(warnings.length > 0 && { warnings }) }
  await emit({ type: 'run-end', ...ended, ...(error && { error: redactedInfo(error) }) })
  return result
}
