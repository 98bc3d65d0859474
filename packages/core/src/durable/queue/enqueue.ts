import type { QueueBounds, QueuedRunEntry } from '../../contracts/background-runs.ts'
import type { SessionStore } from '../../contracts/session-store.ts'
import { AgentKitError, isAgentKitError } from '../../data/errors.ts'
import type { JSONValue, UserMessage } from '../../data/message.ts'
import { cutTitle, plainText } from '../../data/session-text.ts'
import { limits } from '../../limits.ts'
import { traceToStore } from '../../loop/run/spans.ts'
import type { AgentSpec } from '../../loop/run/types.ts'
import { tighten } from '../../policies/budget.ts'
import { checkPriced } from '../../policies/price.ts'
import type { EnqueueItem } from '../../runs/driver/background.ts'
import { cancelLive } from '../../sessions/live-runs.ts'
import type { RecordedOptions } from '../../sessions/recorded-data.ts'
import { cancelReplaced, replacedBy } from '../../sessions/replaced-turns.ts'
import { keyOf } from '../../sessions/suspended-runs.ts'
import { clientDataOf, currentRequestId } from '../../util/async/current-request.ts'
import { sha256 } from '../../util/text/sha256.ts'
import { type BackgroundStore, backgroundOf } from './background-of.ts'
import { type CheckedItem, checkItems, copyLists } from './check-enqueue.ts'
import { jobOf } from './job-of.ts'
import { warnWithoutWorker } from './running-workers.ts'
import { stopInterrupted } from './stop-ended.ts'

/** The agent whose runs are stored. */
export type Enqueuer = {
  spec: AgentSpec
  /** Whether there is someone to notify of the end of a run, beside the agent's `onRunEnd`. */
  notifies?: boolean
  /** Called before runs are stored. */
  begin(): void
  /** @throws AgentKitError for a message that the agent does not accept */
  check(message: UserMessage): void
}

const usualBounds: QueueBounds = { queued: limits.queued, userQueued: limits.userQueued }

/**
 * Stores runs that workers begin, in this order: one commit per 1,000.
 * @throws AgentKitError what the first commit that fails throws, with `details.accepted`
 */
export async function enqueueRuns(
  enqueuer: Enqueuer,
  items: readonly EnqueueItem[],
  bounds: QueueBounds = usualBounds,
): Promise<{ runId: string }[]> {
  const { runs, entries: untraced } = await entriesOf(enqueuer, items)
  const requestId = currentRequestId()
  const origin = { ...traceToStore(), ...(requestId !== undefined && { requestId }) }
  const entries: QueuedRunEntry[] = []
  const waiting = new Map<string, string[]>()
  for (const entry of untraced) {
    const replaced = await waitingReplaced(enqueuer.spec.sessions, entry)
    waiting.set(entry.runId, replaced.waiting)
    const options = { ...(entry.options as object), ...origin, ...clientDataOf(entry.runId) } // by `optionsOf`
    entries.push({ ...replaced.entry, options })
  }
  const { background } = runs
  const stored: { runId: string }[] = []
  const adding: Promise<unknown>[] = []
  try {
    for (let from = 0; from < entries.length; from += limits.enqueuedPerCommit) {
      const part = entries.slice(from, from + limits.enqueuedPerCommit)
      const acceptedAt = runs.now()
      const accepted = await background.enqueue(part, bounds)
      stored.push(...accepted.map(({ runId }) => ({ runId })))
      const fresh = part.filter((_, index) => accepted[index]?.isNew)
      const replacedIds = fresh.flatMap(({ runId }) => waiting.get(runId) ?? [])
      for (const replacedId of replacedIds) void cancelLive(enqueuer.spec.sessions, replacedId)
      // The runs are accepted: a worker adds the jobs that cannot be added now.
      adding.push(background.queue.add(fresh.map((entry) => jobOf({ ...entry, acceptedAt }))).catch(() => {}))
    }
  } catch (error) {
    throw entries.length === 1 ? error : withAccepted(error, stored.length)
  } finally {
    await Promise.all(adding)
  }
  // The runs that they have ended in the store: a worker would find them some seconds later.
  const endsOthers = entries.some(({ onBusy, replaces }) => onBusy === 'interrupt' || replaces !== undefined)
  if (endsOthers) void stopInterrupted(enqueuer.spec.sessions, runs).catch(() => {})
  await warnWithoutWorker(runs, enqueuer.spec.id)
  return stored
}

/**
 * What a run replaces that waits for the session in this process, which the store does not know: to cancel once the run is
 * stored. A waiting run that it names is cancelled first: nothing of it is stored that could be replaced.
 */
async function waitingReplaced(
  store: SessionStore,
  entry: QueuedRunEntry,
): Promise<{ entry: QueuedRunEntry; waiting: string[] }> {
  const { replaces, ...others } = entry
  if (replaces === undefined) return { entry, waiting: [] }
  const request = { store, key: entry.key, replaces, signal: new AbortController().signal }
  const { stored, waiting } = await replacedBy(request, { isStoredNow: true })
  if (stored || waiting.length === 0) return { entry, waiting }
  return { entry: (await cancelReplaced(request)) ? entry : others, waiting: [] }
}

/** Runs as they are stored, once all of them are checked. */
export async function entriesOf(
  { spec, notifies = false, begin, check }: Enqueuer,
  items: readonly EnqueueItem[],
): Promise<{ runs: BackgroundStore; entries: QueuedRunEntry[] }> {
  const given = copyLists(items)
  const runs = backgroundOf(spec.sessions)
  if (spec.cannotContinue) throw cannotContinue()
  begin()
  await runs.open?.()
  const checked = checkItems(given, runs.now())
  for (const { message, history = [], budget } of checked) {
    for (const each of [...history, message]) if (each.role === 'user') check(each)
    checkPriced(spec.chain.models, spec.prices, tighten(spec.budget, budget ?? {}))
  }
  const agentVersion = await spec.storedVersion()
  const wants = notifies || spec.onRunEnd !== undefined
  const more = { ...(agentVersion !== undefined && { agentVersion }), ...(wants && { notifies: true }) }
  return { runs, entries: checked.map((item) => ({ ...entryOf(spec, item), ...more })) }
}

function entryOf(spec: AgentSpec, item: CheckedItem): QueuedRunEntry {
  const { message, userId = 'default', sessionId, idempotencyKey, priority, dueAt, replaces } = item
  const runId = `run_${crypto.randomUUID()}`
  const { id: agentId, onBusy } = spec
  return {
    ...{ runId, agentId, onBusy },
    key: keyOf({ agentId, userId, ...(sessionId !== undefined && { sessionId }) }, runId),
    options: optionsOf(spec, item),
    title: cutTitle(plainText(message)),
    ...(priority !== undefined && { priority }),
    ...(dueAt !== undefined && { dueAt }),
    ...(idempotencyKey !== undefined && { idempotency: { key: idempotencyKey, fingerprint: fingerprintOf(item) } }),
    ...(replaces !== undefined && { replaces }),
  }
}

/** What a worker needs to begin the run. */
function optionsOf(spec: AgentSpec, { message, history = [], budget = {}, timeoutMs }: CheckedItem): JSONValue {
  const longest = Math.min(spec.timeoutMs ?? Number.POSITIVE_INFINITY, timeoutMs ?? Number.POSITIVE_INFINITY)
  const options: RecordedOptions = {
    seeded: 0,
    run: {
      budget: tighten(spec.budget, budget),
      timeoutMs: Number.isFinite(longest) ? longest : limits.backgroundMs,
    } as JSONValue, // plain JSON, except that optional fields may be absent
    queued: { input: message, history },
  }
  return JSON.parse(JSON.stringify(options))
}

/**
 * A hash of what a call of `enqueue` asks for: fields in one order, whatever the caller's. Without the time at which the run
 * may start, which a caller may count from the present.
 */
function fingerprintOf({ message, idempotencyKey: _, dueAt: _dueAt, ...options }: CheckedItem): string {
  const fields = Object.entries({ ...options, message }).filter(([, value]) => value !== undefined)
  return sha256(JSON.stringify(fields.sort(([one], [other]) => (one < other ? -1 : 1))))
}

function withAccepted(error: unknown, accepted: number): unknown {
  if (!isAgentKitError(error)) {
    return new AgentKitError('storage', `The session store failed after ${accepted} runs were stored.`, {
      cause: error,
      accepted,
    })
  }
  const { code, message, retryable, retryAfterMs } = error
  const details = { cause: error, retryable, accepted, ...(retryAfterMs !== undefined && { retryAfterMs }) }
  return new AgentKitError(code, message, details)
}

function cannotContinue(): AgentKitError {
  const message =
    'The steps of a workflow are not stored, so that no worker could continue it. Enqueue an agent or a swarm, whose ' +
    'tool may start the workflow.'
  return new AgentKitError('unsupported', message)
}
