import type { RunStore } from '../../contracts/run-store.ts'
import { AgentKitError } from '../../data/errors.ts'
import type { Cost, Usage } from '../../data/usage.ts'

/** What a run has used. */
export type Spent = { usage?: Usage | undefined; cost?: Cost | undefined }

/** What the runs of each user have used since midnight UTC. */
export interface DailyUsage {
  /** @throws AgentKitError `budget` for a user whose runs have used up the day's limit; `retryAfterMs` is until midnight */
  check(userId: string): Promise<void>
  /** Counts a run that has ended. */
  add(userId: string, spent: Spent): void
}

/** What the runs of a user may use since midnight UTC; absent: any amount. */
export type DailyLimits = { userDailyUsd?: number | undefined; userDailyTokens?: number | undefined }

export type DailyUsageOptions = {
  limits: DailyLimits
  agentId: string
  /** The store's runs; without them, only those of this process are counted. */
  runs: RunStore | undefined
  /** Milliseconds since 1970; by default the time of the store, which its runs have. */
  now?: () => number
}

type Amount = { usd: number; tokens: number }
/** `stored` was read at `readAt`; `since` has ended after it. `here` is all that this process has counted. */
type Day = { stored: Amount; since: Amount; here: Amount; readAt: number; reading?: Promise<void> | undefined }

/** The longest time, in milliseconds, until runs of other processes count. */
const rereadMs = 10_000
const pageSize = 1_000
/** More runs of a user are not read: those of today, and those of yesterday, which may have been queued until today. */
const maxPages = 20
/** Users that are counted at once; then the one that was counted first is forgotten, and read again. */
const maxUsers = 100_000
const dayMs = 24 * 3_600_000

export function createDailyUsage({
  limits,
  agentId,
  runs,
  now = () => runs?.now() ?? Date.now(),
}: DailyUsageOptions): DailyUsage {
  const { userDailyUsd, userDailyTokens } = limits
  const isOff = userDailyUsd === undefined && userDailyTokens === undefined
  const users = new Map<string, Day>()
  let midnight = 0

  const dayOf = (userId: string): Day => {
    const present = now()
    const today = present - (present % dayMs)
    if (today !== midnight) users.clear()
    midnight = today
    const known = users.get(userId)
    if (known) return known
    const [first] = users.keys()
    if (users.size >= maxUsers && first !== undefined) users.delete(first)
    const day: Day = { stored: none(), since: none(), here: none(), readAt: Number.NEGATIVE_INFINITY }
    users.set(userId, day)
    return day
  }

  const read = async (store: RunStore, userId: string, day: Day): Promise<void> => {
    const from = new Date(midnight).toISOString()
    const earliest = new Date(midnight - dayMs).toISOString()
    const stored = none()
    // Runs that end while the pages are read may count twice, until they are read again: before a refusal.
    day.since = none()
    let after: string | undefined
    for (let page = 0; page < maxPages; page++) {
      const filter = { limit: pageSize, ...(after !== undefined && { after }) }
      const records = await store.list({ agentId, userId }, filter)
      // A run counts on the day on which it begins; one that is queued has used nothing.
      for (const record of records) if ((record.startedAt ?? record.createdAt) >= from) addTo(stored, record)
      after = records.at(-1)?.runId
      if (records.length < pageSize || records.every(({ createdAt }) => createdAt < earliest)) break
    }
    day.stored = stored
    day.readAt = now()
  }

  const reread = (store: RunStore, userId: string, day: Day): Promise<void> => {
    day.reading ??= read(store, userId, day).finally(() => {
      day.reading = undefined
    })
    return day.reading
  }

  const isSpent = ({ stored, since, here }: Day): boolean => {
    // The store may not have all usage that this process has counted.
    const tokens = Math.max(stored.tokens + since.tokens, here.tokens)
    const usd = Math.max(stored.usd + since.usd, here.usd)
    return tokens >= (userDailyTokens ?? Infinity) || usd >= (userDailyUsd ?? Infinity)
  }

  return {
    async check(userId) {
      if (isOff) return
      const day = dayOf(userId)
      // The clock may have been set back.
      if (runs && Math.abs(now() - day.readAt) >= rereadMs) await reread(runs, userId, day)
      if (!isSpent(day)) return
      // A run that has ended since may have stored a part of its usage before: that part is counted twice.
      const mayCountTwice = day.since.tokens > 0 || day.since.usd > 0
      if (runs && mayCountTwice) await reread(runs, userId, day)
      if (isSpent(day)) throw spentError(midnight + dayMs - now())
    },

    add(userId, spent) {
      if (isOff) return
      const day = dayOf(userId)
      addTo(day.since, spent)
      addTo(day.here, spent)
    },
  }
}

function none(): Amount {
  return { usd: 0, tokens: 0 }
}

function addTo(amount: Amount, { usage = {}, cost }: Spent): void {
  amount.usd += cost?.usd ?? 0
  amount.tokens += usage.totalTokens ?? (usage.inputTokens ?? 0) + (usage.outputTokens ?? 0)
}

function spentError(retryAfterMs: number): AgentKitError {
  const message = "The user's runs have used up the budget of this day (UTC)."
  return new AgentKitError('budget', message, { retryAfterMs })
}
