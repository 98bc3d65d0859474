import type { BackgroundRuns, RunNotice } from '../../contracts/background-runs.ts'
import type { SessionStore } from '../../contracts/session-store.ts'
import { AgentKitError, messageOf } from '../../data/errors.ts'
import { firstChars } from '../../data/first-chars.ts'
import type { RunRecord } from '../../data/run-record.ts'
import { limits } from '../../limits.ts'
import { withWaitingMembers } from '../../runs/tree-spent.ts'
import { redactSecrets } from '../../util/text/redact.ts'
import { backgroundOf } from '../queue/background-of.ts'

/** Who is notified of runs that have ended or wait. */
export type Receivers = {
  /** The agent's own hook. */
  hookOf(agentId: string): ((run: RunRecord) => void | Promise<void>) | undefined
  /** What notifies others of the agent's runs, such as a webhook. */
  deliverOf(agentId: string): ((notice: RunNotice) => Promise<void>) | undefined
  /** Called with what a hook or a delivery throws; it is tried again. */
  onError?(error: unknown): void
}

/** What has succeeded of notices of which another part failed, as `<noticeId> hook`: it is not repeated by this process. */
export type Delivered = Set<string>

const deliveredByStore = new WeakMap<object, Delivered>()

/** What the workers and the agents of this process share that deliver notices of one store. */
export function deliveredOf(runs: object): Delivered {
  const known = deliveredByStore.get(runs)
  if (known) return known
  const delivered: Delivered = new Set()
  deliveredByStore.set(runs, delivered)
  return delivered
}

type Report = (error: unknown) => void

const reportsByStore = new WeakMap<object, Set<Report>>()

/** Failures of notices of a store are reported to its worker of this process, also where an agent delivers them. */
export function reportNotices(runs: object, report: Report): { stop(): void } {
  const reports = reportsByStore.get(runs) ?? new Set()
  reportsByStore.set(runs, reports.add(report))
  return { stop: () => void reports.delete(report) }
}

/** What a worker of this process has passed to `reportNotices`, if there is one. */
export function noticeReportOf(runs: object): Report | undefined {
  const [report] = reportsByStore.get(runs) ?? []
  return report
}

/**
 * Delivers the notices that are due, until there are none.
 * @returns when the last of those that could not be delivered is tried again, in milliseconds since 1970; 0 for none
 */
export async function deliverNotices(
  store: SessionStore,
  agentIds: readonly string[],
  receivers: Receivers,
  delivered: Delivered,
): Promise<number> {
  const { background } = backgroundOf(store)
  let lastTry = 0
  for (;;) {
    const { notices: limit, noticeLeaseMs: leaseMs } = limits
    const page = await background.takeNotices(agentIds, { limit, leaseMs })
    const tries = await Promise.all(page.map((notice) => deliverOne(store, notice, receivers, delivered)))
    lastTry = Math.max(lastTry, ...tries)
    if (page.length < limit) return lastTry
  }
}

/** @returns when it is tried again, in milliseconds since 1970; 0 for never */
export async function deliverOne(
  store: SessionStore,
  notice: RunNotice,
  { hookOf, deliverOf, onError }: Receivers,
  delivered: Delivered,
): Promise<number> {
  const runs = backgroundOf(store)
  const { noticeId, record, createdAt, tries } = notice
  const hook = hookOf(record.agentId)
  const deliver = deliverOf(record.agentId)
  const parts = [
    { key: `${noticeId} hook`, call: hook && (async () => callHook(hook, await recordOf(store, record))) },
    { key: `${noticeId} delivery`, call: deliver && (() => deliver(notice)) },
  ]
  // A delivery that fails does not delay the other one.
  const failures = await Promise.all(
    parts.map(async ({ key, call }) => {
      if (!call || delivered.has(key)) return []
      try {
        await call()
        remember(delivered, key)
        return []
      } catch (error) {
        onError?.(error)
        return [error]
      }
    }),
  )
  const [failure] = failures.flat().map((error) => redactSecrets(messageOf(error)) || 'The receiver failed.')
  let outcome: Parameters<BackgroundRuns['settleNotice']>[1] = 'delivered'
  if (failure !== undefined) {
    const now = runs.now()
    const waitMs = Math.min(limits.firstNoticeMs * 2 ** Math.max(0, tries - 1), limits.longestNoticeMs)
    outcome =
      now + waitMs > createdAt + limits.noticeLifeMs
        ? { failed: firstChars(failure, whyChars) }
        : { retryAt: now + waitMs }
  }
  await runs.background.settleNotice(noticeId, outcome)
  if (outcome === 'delivered' || 'failed' in outcome) for (const { key } of parts) delivered.delete(key)
  return outcome !== 'delivered' && 'retryAt' in outcome ? outcome.retryAt : 0
}

/** The hook's own copy of a run, with what its members have used until now where it waits for them. */
async function recordOf(store: SessionStore, record: RunRecord): Promise<RunRecord> {
  const stored = record.status === 'waiting' ? await store.runs?.read(record.runId) : undefined
  // A run that no longer waits has used more since.
  if (stored?.record.status !== 'waiting') return structuredClone(record)
  const { usage, cost } = (await withWaitingMembers(store, stored)).record
  return structuredClone({ ...record, ...(usage && { usage }), ...(cost && { cost }) })
}

/** @throws AgentKitError `timeout`: a hook that hangs would block the notices of all other runs, and the end of the worker */
async function callHook(hook: NonNullable<ReturnType<Receivers['hookOf']>>, record: RunRecord): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    const message = `\`onRunEnd\` did not return within ${limits.hookMs / 1_000} s.`
    timer = setTimeout(() => reject(new AgentKitError('timeout', message)), limits.hookMs)
  })
  try {
    await Promise.race([hook(record), late])
  } finally {
    clearTimeout(timer)
  }
}

const whyChars = 500
const mostRemembered = 10_000

/** The oldest are forgotten: they may be repeated, as after a crash. */
function remember(delivered: Delivered, key: string): void {
  delivered.add(key)
  const [oldest] = delivered
  if (delivered.size > mostRemembered && oldest !== undefined) delivered.delete(oldest)
}
