import type { Model, ModelRequest } from '../contracts/model.ts'
import type { Budget } from '../data/budget.ts'
import { tokensOf } from '../data/usage.ts'
import { limits } from '../limits.ts'
import { sleep, untilAborted } from '../util/async/abort.ts'
import type { Account } from './account.ts'
import type { Ledger, LedgerAround } from './ledger.ts'
import type { Prices } from './price.ts'
import type { Reservation } from './reservation.ts'
import { type Change, type SharedBudget, type TreeBudget, usedOf, withRun } from './tree-budget.ts'

/** Where the budget of a tree of runs is kept. */
export type SharedBudgetStore = {
  read(): Promise<{ version: number; tree: TreeBudget }>
  /** @returns false when another version is stored by now; then nothing changes */
  write(expectedVersion: number, tree: TreeBudget): Promise<boolean>
  /** Lets one run of this process after the other use the tree: they would only hinder each other. */
  inTurn<Value>(work: () => Promise<Value>): Promise<Value>
  /** The time of the store, in milliseconds since 1970. */
  now(): number
}

/** A bounded account of a run around a member's run. */
export type AccountAround = { name: string; budget: Budget }

type SharedLedgerOptions = {
  store: SharedBudgetStore
  /** The member's run. */
  runId: string
  /** The ids of the runs around it, and the names of `accounts`. */
  within: readonly string[]
  accounts: readonly AccountAround[]
  prices: Prices
}

/**
 * The parent of a member's ledger, for its accounts: they are what the store has of the runs around it. They are empty
 * before the first update.
 */
export function createSharedLedger({ store, runId, within, accounts, prices }: SharedLedgerOptions): LedgerAround {
  const around = accounts.map(({ name, budget }) => ({ name, account: newAccount(budget) }))
  let last: Promise<unknown> = Promise.resolve()
  const updateNow: SharedBudget['update'] = async (change, edit = (tree) => tree) => {
    for (let failures = 0; ; failures++) {
      const { version, tree } = await store.read()
      const edited = edit(tree)
      const own = shared.own ?? newAccount({})
      for (const { name, account } of around) refresh(account, name, { tree: edited, runId, own, now: store.now() })
      const { value, undo } = change()
      const next = withRun(edited, runId, within, own)
      try {
        if (JSON.stringify(next) === JSON.stringify(tree) || (await store.write(version, next))) return value
      } catch (error) {
        undo?.()
        throw error
      }
      undo?.()
      await waitBriefly(failures)
    }
  }
  const shared: SharedBudget = {
    own: undefined,
    update(change, edit) {
      const updating = last.then(() => store.inTurn(() => updateNow(change, edit)))
      last = updating.catch(() => {})
      return updating
    },
    publish() {
      // Usage that could not be stored is part of the next update, and of what the caller of the run collects.
      shared.update(() => ({ value: undefined })).catch(() => {})
    },
  }
  return { prices, accounts: around.map(({ account }) => account), shared }
}

/**
 * Reserves a model call where processes share a budget.
 *
 * @param options.mayWait whether to wait for running calls whose end would allow a longer answer
 * @throws AgentKitError `budget`, as `ledger.reserve`
 */
export async function reserveShared(
  ledger: Ledger,
  shared: SharedBudget,
  { model, request }: { model: Model; request: ModelRequest },
  { signal, mayWait }: { signal: AbortSignal; mayWait: boolean },
): Promise<Reservation> {
  for (;;) {
    const reserving = shared.update((): Change<{ freed: Promise<void> } | { reservation: Reservation }> => {
      const freed = mayWait ? ledger.freed(model, request) : undefined
      if (freed !== undefined) return { value: { freed } }
      const reservation = ledger.reserve(model, request)
      return { value: { reservation }, undo: reservation.cancel }
    })
    const reserved = await untilAborted(signal, reserving).catch((error) => {
      void reserving.then((late) => 'reservation' in late && late.reservation.cancel()).catch(() => {})
      throw error
    })
    if ('reservation' in reserved) return reserved.reservation
    // Calls of other processes wake no one here.
    await untilAborted(signal, Promise.race([reserved.freed, sleep(limits.sharedBudgetPollMs, signal)]))
  }
}

/** @throws AgentKitError `budget`, as `ledger.beginToolCalls` */
export function beginToolCalls(ledger: Ledger, count: number): Promise<void> | undefined {
  if (!ledger.shared) {
    ledger.beginToolCalls(count)
    return undefined
  }
  return ledger.shared.update(() => {
    ledger.beginToolCalls(count)
    return { value: undefined, undo: () => ledger.beginToolCalls(-count) }
  })
}

/** Changes the budget of a tree for a run that shares none of its own accounts. */
export function editTree(store: SharedBudgetStore, edit: (tree: TreeBudget) => TreeBudget): Promise<void> {
  return store.inTurn(async () => {
    for (let failures = 0; ; failures++) {
      const { version, tree } = await store.read()
      if (await store.write(version, edit(tree))) return
      await waitBriefly(failures)
    }
  })
}

/** Of many processes at once, others may be faster again and again. */
function waitBriefly(failures: number): Promise<void> | undefined {
  return failures > 1 ? sleep(Math.random() * Math.min(2 ** failures, 50), new AbortController().signal) : undefined
}

type Seen = { tree: TreeBudget; runId: string; own: Account; now: number }

/** What others have used of an account as it is stored, and this run as it knows. */
function refresh(account: Account, name: string, { tree, runId, own, now }: Seen): void {
  const { budget, spent } = account
  const { used, reserved } = usedOf(tree, name, runId)
  spent.usage = { totalTokens: used.tokens + tokensOf(own.spent.usage) }
  spent.usd = used.usd + own.spent.usd
  spent.modelCalls = used.modelCalls + own.spent.modelCalls
  spent.toolCalls = used.toolCalls + own.spent.toolCalls
  account.reserved.tokens = reserved.tokens + own.reserved.tokens
  account.reserved.usd = reserved.usd + own.reserved.usd
  const endsAt = tree.accounts[name]?.endsAt
  if (budget.seconds === undefined || endsAt === undefined) return
  spent.ms = budget.seconds * 1000 - (endsAt - now)
  account.clockFrom = performance.now()
}

function newAccount(budget: Budget): Account {
  const spent = { usage: {}, usd: 0, unpriced: false, modelCalls: 0, toolCalls: 0, ms: 0 }
  return { budget, spent, reserved: { tokens: 0, usd: 0 }, waiting: [], clockFrom: undefined }
}
