import type { StoredRun } from '../../contracts/run-store.ts'
import { AgentKitError } from '../../data/errors.ts'
import type { Emit } from '../../data/event.ts'
import { memberSpec } from '../../loop/members/delegates.ts'
import { treeBudgetStore } from '../../loop/members/tree-budget-store.ts'
import { inStoredTrace } from '../../loop/run/spans.ts'
import type { AgentSpec, RunScope } from '../../loop/run/types.ts'
import { runAgent } from '../../loop/run-agent.ts'
import type { LedgerAround } from '../../policies/ledger.ts'
import { createSharedLedger } from '../../policies/shared-budget.ts'
import type { CurrentRun } from '../../runs/current-run.ts'
import type { MemberRun, MemberScope } from '../../runs/driver/member-run.ts'
import type { RunOptions, RunResult } from '../../runs/driver/run.ts'
import { memberRunOf } from '../../runs/stored-member.ts'
import { isRecorded } from '../../sessions/recorded-data.ts'
import { keyText } from '../../sessions/session-queue.ts'

/** How `continueRun` continues a run. */
export type ContinueOptions = Pick<RunOptions, 'signal'> & {
  /** The run, where it was just read. */
  known?: StoredRun
  /** Whether it is delivered again where another run has its session. Otherwise a direct run waits for the session. */
  isDelivered?: boolean
}

/** Continues a stored run of an agent, or of a member of it. Never rejects. */
export async function continueStored(agent: AgentSpec, given: RunScope): Promise<RunResult> {
  // A store that fails now fails the run as well, when it is opened.
  const stored = given.known ?? (await agent.sessions.runs?.read(given.runId).catch(() => undefined))
  const scope = { ...given, ...(stored && { known: stored }) }
  return stored ? inStoredTrace(stored, () => continueFound(agent, scope, stored)) : runAgent(agent, scope)
}

function continueFound(agent: AgentSpec, scope: RunScope, stored: StoredRun): Promise<RunResult> {
  const member = isRecorded(stored) ? memberRunOf(stored) : undefined
  if (!member || stored.rootRunId === undefined) return runAgent(agent, scope)
  const spec = specOf(agent, member)
  const memberRun = { ...member, rootRunId: stored.rootRunId, agentId: agent.id }
  return runAgent(spec, {
    ...scope,
    budget: spec.budget,
    memberRun,
    emit: memberEmit(scope.emit, member.path),
    parent: callerOf(agent, spec, stored, memberRun),
  })
}

/** The member as it runs alone: with the store of the outermost agent, and the prices of all around it. */
function specOf(agent: AgentSpec, { path, name }: MemberRun): AgentSpec {
  const around = path.map((_, length) => memberSpec(agent, path.slice(0, length)))
  const found = memberSpec(agent, path)
  const prices = Object.assign({}, ...around.map((outer) => outer?.prices), found?.prices)
  const { sessions, approvalMs } = agent
  const place = { sessions, approvalMs, prices, onBusy: 'queue' as const, storedVersion: async () => undefined }
  if (found) return { ...found, ...place }
  const gone = (): never => {
    throw new AgentKitError('not-found', `"${name}" (${path.join('/')}) is not a member of "${agent.name}" any more.`)
  }
  return { ...agent, ...place, budget: {}, plan: gone, hooks: {}, tools: gone }
}

/** The outermost run alone emits start, end and approval requests. */
function memberEmit(emit: Emit, path: readonly string[]): Emit {
  return (event, inner = []) => (event.type === 'approval-request' ? undefined : emit(event, [...path, ...inner]))
}

/** The run that called the member, as far as it concerns a run in another process. */
function callerOf(agent: AgentSpec, spec: AgentSpec, stored: StoredRun, member: MemberScope): CurrentRun {
  const { userId } = stored.record
  const { sessionId, depth } = member
  const holds = sessionId === undefined ? [] : [keyText({ agentId: agent.id, userId, sessionId })]
  return { ledger: ledgerAround(spec, stored, member), signal: new AbortController().signal, depth: depth - 1, holds }
}

function ledgerAround({ sessions, prices }: AgentSpec, { record }: StoredRun, member: MemberScope): LedgerAround {
  const { accounts, within, rootRunId } = member
  const { runs } = sessions
  if (!runs?.background || accounts.length === 0) return { prices, accounts: [] }
  const store = treeBudgetStore(runs.background, rootRunId, () => runs.now())
  return createSharedLedger({ store, runId: record.runId, within, accounts, prices })
}
