import { addSpent, type Spent } from '../policies/account.ts'
import type { Ledger } from '../policies/ledger.ts'
import type { RunState } from './run-state.ts'

/**
 * Adds what others have used to a run that continues.
 * @param active the members that have its conversation, from the outside in: it counts in their budgets too
 */
export function collectSpent(
  { state, ledger }: { state: RunState; ledger: Ledger },
  spent: Spent,
  active: readonly string[],
): void {
  ledger.collect(spent)
  for (let length = 1; length <= active.length; length++) {
    const account = state.accounts.get(active.slice(0, length).join('/'))
    if (account) addSpent(account.spent, spent)
  }
}
