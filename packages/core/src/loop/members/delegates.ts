import type { MemberRunEntry } from '../../contracts/background-runs.ts'
import type { QueuedJob } from '../../contracts/run-queue.ts'
import type { RunStore, StoredRun } from '../../contracts/run-store.ts'
import type { Budget } from '../../data/budget.ts'
import { isEnded } from '../../data/run-record.ts'
import { unansweredCalls } from '../../data/transcript.ts'
import { limits } from '../../limits.ts'
import type { Account, Spent } from '../../policies/account.ts'
import { msLeft } from '../../policies/account.ts'
import { budgetNames } from '../../policies/budget.ts'
import { type AccountAround, editTree } from '../../policies/shared-budget.ts'
import { type TreeBudget, toUsed, withCaller } from '../../policies/tree-budget.ts'
import { collectSpent } from '../../runs/collect-spent.ts'
import { currentRun } from '../../runs/current-run.ts'
import { type MemberInput, type MemberRun, memberRunId, memberToolName } from '../../runs/driver/member-run.ts'
import { mergeMember } from '../../runs/member-outcome.ts'
import { memberRunOf, storedOutcome, warningsOf } from '../../runs/stored-member.ts'
import { spentWithMembers } from '../../runs/tree-spent.ts'
import { keyOf } from '../../sessions/suspended-runs.ts'
import { isConflict } from '../../sessions/unended-runs.ts'
import { settledWithin, untilAborted } from '../../util/async/abort.ts'
import type { Delegates } from '../run/members.ts'
import { RunDelegated } from '../run/parent-run.ts'
import { traceToStore } from '../run/spans.ts'
import type { AgentSpec, OpenedRun, Run } from '../run/types.ts'
import { treeBudgetStore } from './tree-budget-store.ts'

/**
 * Finds the runs of members that the last step of a background run has called. What those have used that have ended is
 * added to the run, once.
 * @returns `undefined` for a run whose members are part of it
 */
export async function findDelegates(run: OpenedRun): Promise<Delegates | undefined> {
  const { scope, state, stored, snapshot } = run
  const { runs } = run.agent.sessions
  if (!runs?.background || !stored?.isBackground) return undefined
  const { rootRunId = scope.runId } = stored
  const member = memberRunOf(stored)
  const known = new Map<string, StoredRun>()
  for (const { callId } of snapshot ? unansweredCalls(state.messages) : []) {
    const child = await runs.read(memberRunId(scope.runId, state.steps, callId))
    if (child) known.set(callId, run.isRetried ? await retried(run, runs, child) : child)
  }
  const delegates = { runs, background: runs.background, stored, rootRunId, member, known, called: new Map() }
  for (const child of known.values()) {
    if (isEnded(child.record.status)) await collect(run, child, snapshot?.active ?? [])
  }
  const open = openRuns(known)
  const { shared } = run.ledger
  if (shared) {
    const edit = (tree: TreeBudget): TreeBudget => withCaller(tree, { runId: scope.runId, accounts: {}, open })
    await shared.update(() => ({ value: undefined }), edit)
  }
  return delegates
}

/** The run of a member that had failed, and whose caller is retried before it received the failure: it is queued again. */
async function retried({ state }: OpenedRun, runs: RunStore, child: StoredRun): Promise<StoredRun> {
  const { runId, status } = child.record
  if (status !== 'failed' || state.collected.includes(runId)) return child
  await runs.background?.retry(runId)
  return (await runs.read(runId)) ?? child
}

/** Adds what a member has used and cited to the run that called it. */
async function collect(run: OpenedRun, child: StoredRun, active: readonly string[]): Promise<void> {
  const { agent, state } = run
  const { runId, sources } = child.record
  if (state.collected.includes(runId)) return
  state.collected.push(runId)
  // A swarm may have ended while its own members wait.
  collectSpent(run, await spentWithMembers(agent.sessions, child), active)
  // As in the result of a run that calls its members itself.
  const around = active.map((_, index) => memberSpec(agent, active.slice(0, index + 1))?.name)
  const name = [...around, memberRunOf(child)?.name].join(': ')
  mergeMember(state, { sources, warnings: warningsOf(child) }, name, storedOutcome(child))
}

/** The usage of the members whose runs wait, for the last event of their caller, which waits too. */
export async function spentByWaiting(run: Pick<OpenedRun, 'agent' | 'delegates'>): Promise<Spent[]> {
  // The end of a member's segment has no usage.
  return run.delegates?.member ? [] : spentByOpen(run)
}

/**
 * The usage of the members whose runs have not ended, where their caller ends. It is not added to the ledger: a caller that
 * is retried continues them, and adds it then.
 */
export async function spentByLeft(run: Pick<OpenedRun, 'agent' | 'delegates'>): Promise<Spent[]> {
  let left: Spent[] = []
  const read = spentByOpen(run).then((spent) => {
    left = spent
  })
  if (run.delegates?.known.size) await settledWithin(limits.endErrorMs, read)
  return left
}

async function spentByOpen({ agent, delegates }: Pick<OpenedRun, 'agent' | 'delegates'>): Promise<Spent[]> {
  const open = [...(delegates?.known.values() ?? [])].filter(({ record }) => !isEnded(record.status))
  // One that was decided or is retried may have continued since it was read.
  const spent = open.map(async (child) => {
    const now = (await delegates?.runs.read(child.record.runId)) ?? child
    return spentWithMembers(agent.sessions, now)
  })
  return Promise.all(spent)
}

/** The member at a path of ids below an agent. */
export function memberSpec(agent: AgentSpec, path: readonly string[]): AgentSpec | undefined {
  let found: AgentSpec | undefined = agent
  for (const id of path) found = found?.members?.find((member) => member.id === id)
  return found
}

/** The member that a tool of a background run calls, if its run is one of its own. */
export function delegatedMember(agent: AgentSpec, toolName: string): AgentSpec | undefined {
  // The steps of a workflow are not stored: it is a part of the run that calls it.
  return agent.members?.find(({ id, cannotContinue }) => !cannotContinue && memberToolName(id) === toolName)
}

/** A member's run that does not exist yet. */
export function memberEntry(
  { scope, state, ledger, path, turn }: Run,
  { stored, member, runs }: Delegates,
  call: MemberInput & { member: AgentSpec; callId: string },
): MemberRunEntry {
  const { agentId } = stored.record
  const runId = memberRunId(scope.runId, state.steps, call.callId)
  const accounts = accountsOf(scope.runId, path, ledger.accounts)
  const made: MemberRun = {
    path: [...(member?.path ?? []), ...path, call.member.id],
    name: call.member.name,
    ...(scope.sessionId !== undefined && { sessionId: scope.sessionId }),
    depth: (currentRun.getStore()?.depth ?? 0) + 1,
    within: [...new Set([scope.runId, ...accounts.map(({ name }) => name), ...(member?.within ?? [])])],
    accounts: [...accounts.map(({ name, budget }) => ({ name, budget })), ...(member?.accounts ?? [])],
  }
  // The deadline of its caller holds in any case.
  const timeoutMs = call.member.timeoutMs ?? (turn.deadline === undefined ? undefined : turn.deadline - runs.now())
  const options = {
    ...{ seeded: 0, queued: { input: call.input, history: call.history }, member: made, ...traceToStore() },
    run: { budget: call.member.budget, ...(timeoutMs !== undefined && { timeoutMs }) },
  }
  const key = keyOf({ agentId, userId: scope.userId }, runId)
  // Plain JSON, except that budgets may be infinite.
  return { runId, key, options: JSON.parse(JSON.stringify(options)) }
}

/**
 * Leaves the run to its members: it continues, in whichever process, once each of them has ended or waits.
 * @throws RunDelegated
 */
export async function delegate(run: Run, delegates: Delegates): Promise<never> {
  const { scope, ledger, path, turn } = run
  const { background, rootRunId, runs, known, called } = delegates
  const entries = [...called.values()].map(({ entry }) => entry)
  const accounts = accountsOf(scope.runId, path, ledger.accounts)
  const shown: TreeBudget['accounts'] = Object.fromEntries(
    accounts.map(({ name, account }) => {
      const left = msLeft(account)
      const endsAt = left === Number.POSITIVE_INFINITY ? {} : { endsAt: runs.now() + left }
      return [name, { used: toUsed(account.spent), ...endsAt }]
    }),
  )
  const open = [...openRuns(known), ...entries.map(({ runId }) => runId)]
  const edit = (tree: TreeBudget): TreeBudget => withCaller(tree, { runId: scope.runId, accounts: shown, open })
  if (ledger.shared)
    await untilAborted(
      scope.signal,
      ledger.shared.update(() => ({ value: undefined }), edit),
    )
  else if (accounts.length > 0) {
    await untilAborted(scope.signal, editTree(treeBudgetStore(background, rootRunId, runs.now), edit))
  }
  await untilAborted(scope.signal, forwardDecisions(run, delegates))
  const left = turn.delegate?.(entries) ?? Promise.resolve()
  // Also where the run is stopped meanwhile: its members continue it. The store adds the jobs again that a process could not
  // add.
  const added = left.then(async () => background.queue.add(await jobsOf(run, delegates, entries))).catch(() => {})
  await untilAborted(scope.signal, left)
  await added
  throw new RunDelegated()
}

/** Gives members that wait the decisions on what they wait for. */
async function forwardDecisions({ turn }: Run, { runs, called }: Delegates): Promise<void> {
  const decided = [...called.values()].filter(({ decisions }) => decisions !== undefined)
  if (decided.length === 0) return
  // A member that continues reads the deadline of its caller.
  await turn.append([])
  for (const { entry, decisions = {} } of decided) {
    await runs.decide(entry.runId, decisions).catch((error) => {
      // A process that died had forwarded them, or the member has ended.
      if (!isConflict(error)) throw error
    })
  }
}

/** The jobs of members, and of the run itself if none of them has anything left to do. */
async function jobsOf(
  { scope }: Run,
  { runs, stored, known }: Delegates,
  entries: readonly MemberRunEntry[],
): Promise<QueuedJob[]> {
  const { record, priority } = stored
  const { agentId, userId } = record
  const ids = entries.map(({ runId }) => runId)
  // Members that had begun before may have ended meanwhile.
  if (known.size > 0 && (await runs.read(scope.runId))?.isFree) ids.push(scope.runId)
  return ids.map((runId) => ({ runId, agentId, userId, ...(priority !== undefined && { priority }) }))
}

function openRuns(known: ReadonlyMap<string, StoredRun>): string[] {
  return [...known.values()].flatMap(({ record: { status, runId } }) => (isEnded(status) ? [] : [runId]))
}

/** The bounded accounts of a run, with those of members that have its conversation, from the inside out. */
function accountsOf(
  runId: string,
  path: readonly string[],
  accounts: readonly Account[],
): (AccountAround & { account: Account })[] {
  return accounts.slice(0, path.length + 1).flatMap((account, index) => {
    const name = [runId, ...path.slice(0, path.length - index)].join('/')
    const budget = boundsOf(account.budget)
    return Object.keys(budget).length > 0 ? [{ name, budget, account }] : []
  })
}

/** JSON has no infinite figures. */
function boundsOf(budget: Budget): Budget {
  const figures = budgetNames.flatMap((name) => (Number.isFinite(budget[name]) ? [[name, budget[name]]] : []))
  return Object.fromEntries(figures)
}
