import type { JSONValue } from '../data/message.ts'
import { tokensOf } from '../data/usage.ts'
import type { Account, Spent } from './account.ts'

/**
 * What the runs of a tree have used of the budgets that they share. Processes read it and replace it by version. Plain
 * JSON, whose field names are part of the stored data.
 */
export type TreeBudget = {
  /** The bounded accounts of runs that have called members, by their names. */
  accounts: { [name: string]: SharedAccount }
  /** The runs of members that their caller has not collected yet, by their ids. */
  runs: { [runId: string]: SharedRun }
}

type SharedAccount = {
  /** What its run itself has used, with the members that it has collected. */
  used: Used
  /** When its seconds are over, in milliseconds since 1970. */
  endsAt?: number
}

type SharedRun = {
  /** The ids of the runs around it, and the names of their bounded accounts. */
  within: readonly string[]
  used: Used
  /** The worst case of its running calls. */
  reserved: Account['reserved']
}

export type Used = { tokens: number; usd: number; modelCalls: number; toolCalls: number }

/** The budgets around a member's run, which runs in other processes use at the same time. */
export type SharedBudget = {
  /**
   * Changes the run's ledger while its accounts are up to date, and stores the outcome. One change is made after the other.
   * @param change called again after `undo` when another process was faster; what it throws ends the update
   * @param edit what else changes in the tree
   */
  update<Value>(change: () => Change<Value>, edit?: (tree: TreeBudget) => TreeBudget): Promise<Value>
  /** Stores what calls have used that were settled. */
  publish(): void
  /** The account of the run itself, which the first ledger within this budget sets. */
  own: Account | undefined
}

export type Change<Value> = { value: Value; undo?(): void }

/** @param value what is stored; `undefined` before anything is */
export function treeBudgetOf(value: JSONValue | undefined): TreeBudget {
  // Written by this file alone.
  return (value as unknown as TreeBudget | undefined) ?? { accounts: {}, runs: {} }
}

/** What is used and reserved of an account by others than this run. */
export function usedOf(
  { accounts, runs }: TreeBudget,
  name: string,
  exceptRun: string,
): { used: Used; reserved: Account['reserved'] } {
  const used = { ...(accounts[name]?.used ?? nothing) }
  const reserved = { tokens: 0, usd: 0 }
  for (const [runId, run] of Object.entries(runs)) {
    if (runId === exceptRun || !run.within.includes(name)) continue
    used.tokens += run.used.tokens
    used.usd += run.used.usd
    used.modelCalls += run.used.modelCalls
    used.toolCalls += run.used.toolCalls
    reserved.tokens += run.reserved.tokens
    reserved.usd += run.reserved.usd
  }
  return { used, reserved }
}

/** The tree with what a member's run has used and reserved by now. */
export function withRun(tree: TreeBudget, runId: string, within: readonly string[], account: Account): TreeBudget {
  const run = { within, used: toUsed(account.spent), reserved: { ...account.reserved } }
  return { ...tree, runs: { ...tree.runs, [runId]: run } }
}

/**
 * The tree when a run calls members: with its accounts, and without the runs below it that are no longer open.
 * @param open the ids of the members' runs that the run has not collected
 */
export function withCaller(
  tree: TreeBudget,
  { runId, accounts, open }: { runId: string; accounts: TreeBudget['accounts']; open: readonly string[] },
): TreeBudget {
  const isClosed = (id: string, { within }: SharedRun): boolean => {
    return within.includes(runId) && !open.some((other) => other === id || within.includes(other))
  }
  const closed = Object.entries(tree.runs).filter(([id, run]) => isClosed(id, run))
  const closedIds = closed.map(([id]) => id)
  const isOfClosed = (name: string): boolean => closedIds.some((id) => name === id || name.startsWith(`${id}/`))
  return {
    accounts: { ...without(tree.accounts, isOfClosed), ...accounts },
    runs: without(tree.runs, (id) => closedIds.includes(id)),
  }
}

export function toUsed({ usage, usd, modelCalls, toolCalls }: Spent): Used {
  return { tokens: tokensOf(usage), usd, modelCalls, toolCalls }
}

const nothing: Used = { tokens: 0, usd: 0, modelCalls: 0, toolCalls: 0 }

function without<Value>(
  values: { [key: string]: Value },
  isClosed: (key: string) => boolean,
): { [key: string]: Value } {
  return Object.fromEntries(Object.entries(values).filter(([key]) => !isClosed(key)))
}
