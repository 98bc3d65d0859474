import type { BackgroundRuns } from '../../contracts/background-runs.ts'
import type { SharedBudgetStore } from '../../policies/shared-budget.ts'
import { treeBudgetOf } from '../../policies/tree-budget.ts'
import { asJSON } from '../../util/json/clone-json.ts'

/** Where a store keeps the budget of the runs around and below this one. */
export function treeBudgetStore(background: BackgroundRuns, rootRunId: string, now: () => number): SharedBudgetStore {
  return {
    now,
    async read() {
      const { version = 0, value } = (await background.sharedBudget(rootRunId)) ?? {}
      return { version, tree: treeBudgetOf(value) }
    },
    write: (version, tree) => background.setSharedBudget(rootRunId, version, asJSON(tree)),
    async inTurn(work) {
      const trees = treesOf(background)
      const turn = (trees.get(rootRunId) ?? Promise.resolve()).then(work)
      const settled = turn
        .catch(() => {})
        .then(() => {
          if (trees.get(rootRunId) === settled) trees.delete(rootRunId)
        })
      trees.set(rootRunId, settled)
      return turn
    },
  }
}

/** The last use of each tree by this process. */
const used = new WeakMap<BackgroundRuns, Map<string, Promise<unknown>>>()

function treesOf(background: BackgroundRuns): Map<string, Promise<unknown>> {
  const known = used.get(background) ?? new Map<string, Promise<unknown>>()
  used.set(background, known)
  return known
}
