import type { BackgroundRuns } from '@agentkit/core'
import { counted } from '@agentkit/core/internal'
import { Command } from 'commander'
import { print, printTable } from './common/print.ts'
import { withProgress } from './common/progress.ts'
import type { OpenStore, StoreOptions } from './open-stores.ts'
import { withStoreOptions, withStores } from './runs-command.ts'

/** Runs that are read from the store at once. */
const pageSize = 1_000

/** `agentkit queue`: the queue of background runs. */
export function queueCommand(): Command {
  const queue = new Command('queue').addHelpText('afterAll', examples)
  const command = (name: string, description: string, work: (stores: readonly OpenStore[]) => Promise<void>): void => {
    withStoreOptions(queue.command(name).description(description)).action(
      (file: string | undefined, options: StoreOptions) =>
        withStores(file, options, (stores) => withProgress(`${name} is working`, work(stores))),
    )
  }
  command('counts', 'shows the jobs of each agent', counts)
  command('rebuild', 'removes all jobs, and adds one for each run of the store that needs a worker', rebuild)
  command('migrate', "prepares the store's and the queue's tables, as the first start of a worker does", migrate)
  return queue
}

const examples = `
Examples:
  agentkit queue counts
  agentkit queue counts agents.ts --agent writer
  agentkit queue rebuild --sessions postgres://localhost/app

Exit codes: 0 done, 1 a store or a queue that fails, 2 wrong usage.`

async function counts(stores: readonly OpenStore[]): Promise<void> {
  const counts = await Promise.all(
    stores.map(async ({ background, agents }) => {
      const ids = agents.map(({ id }) => id)
      return (await background.queue.counts()).filter(({ agentId }) => ids.includes(agentId))
    }),
  )
  const rows = counts.flat().map(({ agentId, queued, taken, oldestMs }) => {
    return [agentId, String(queued), String(taken), `${(oldestMs / 1000).toFixed(1)} s`]
  })
  if (rows.length === 0) print('No jobs.')
  else await printTable([['agent', 'queued', 'taken', 'oldest'], ...rows])
}

async function rebuild(stores: readonly OpenStore[]): Promise<void> {
  for (const { name, background } of stores)
    print(`${name}: ${counted(await rebuildQueue(background), 'job')} in the queue.`)
}

/**
 * Rebuilds a queue from its store. Workers may continue: a job whose run another worker has is settled without effect,
 * and a run that begins during the rebuild gets its job from the workers' own sweep.
 *
 * @returns the number of jobs that were added
 */
async function rebuildQueue({ queue, unfinished }: BackgroundRuns): Promise<number> {
  await queue.clear()
  let added = 0
  let after: string | undefined
  for (;;) {
    const page = await unfinished(undefined, { limit: pageSize, ...(after !== undefined && { after }) })
    if (page.length === 0) return added
    await queue.add(page)
    added += page.length
    after = page.at(-1)?.runId
  }
}

async function migrate(stores: readonly OpenStore[]): Promise<void> {
  for (const { name, background } of stores) {
    // The store prepares its own tables when it is first read.
    await background.schedules({})
    await background.queue.migrate()
    print(`${name}: the tables are prepared.`)
  }
}
