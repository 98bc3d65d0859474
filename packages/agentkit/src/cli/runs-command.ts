import { type RunRecord, type RunStatus, terminalText } from '@agentkit/core'
import { withWaitingMembers } from '@agentkit/core/internal'
import { Command } from 'commander'
import { definedOnly } from '../util/defined-only.ts'
import { checkFile } from './common/agent-file.ts'
import { choice } from './common/choice.ts'
import { idText } from './common/id-text.ts'
import { print, printError, printTable } from './common/print.ts'
import { storePlace } from './common/store-place.ts'
import { UsageError } from './common/usage-error.ts'
import { wholeNumber } from './common/whole-number.ts'
import type { OpenStore, StoreOptions } from './open-stores.ts'
import { runColumns, runLines, runRow } from './show-run.ts'
import { workerWarnings } from './worker-warnings.ts'

const statuses = ['queued', 'running', 'waiting', 'done', 'failed'] satisfies RunStatus[]

type ListOptions = StoreOptions & { user?: string; session?: string; status?: RunStatus; limit: number }

/** `agentkit runs`: stored runs, from the terminal. */
export function runsCommand(): Command {
  const runs = new Command('runs').addHelpText('afterAll', examples)
  withStoreOptions(runs.command('list', { isDefault: true }).description('lists runs, the newest first'))
    .option('--user <id>', 'only runs of this user', idText('--user'))
    .option('--session <id>', 'only runs of this session', idText('--session'))
    .addOption(choice('--status <status>', 'only runs of this status', statuses))
    .option('--limit <count>', 'the most runs to list', wholeNumber('--limit', 1, 1_000), 50)
    .action((file: string | undefined, options: ListOptions) => {
      checkWord(runs, file)
      return withStores(file, options, (it) => list(it, options))
    })
  withRun(runs.command('show').description('shows a run'), show)
  withRun(runs.command('cancel').description('ends a run that has not ended'), cancel)
  withRun(runs.command('retry').description('queues a failed run again'), retry)
  const schedules = runs.command('schedules').description('lists and removes schedules')
  withStoreOptions(schedules.command('list', { isDefault: true }).description('lists schedules')).action(
    (file: string | undefined, options: StoreOptions) => {
      checkWord(schedules, file)
      return withStores(file, options, listSchedules)
    },
  )
  withStoreOptions(schedules.command('remove').description('removes a schedule').argument('<name>', 'its name')).action(
    (name: string, file: string | undefined, options: StoreOptions) =>
      withStores(file, options, (it) => removeSchedule(it, name)),
  )
  return runs
}

const examples = `
Examples:
  agentkit runs                                      the newest runs of this folder
  agentkit runs list agents.ts --status failed --limit 10
  agentkit runs show run_7f…
  agentkit runs retry run_7f… agents.ts
  agentkit runs schedules --sessions postgres://localhost/app

Exit codes: 0 done, 1 an unknown run, or a store that fails, 2 wrong usage.`

/** The file of a default command may be a misspelt command. @throws UsageError with the most similar command */
function checkWord({ commands }: Command, file: string | undefined): void {
  if (file !== undefined)
    checkFile(file, 'Pass a file that exports agents.', { commands: commands.map((command) => command.name()) })
}

/** Opens the stores that are meant; what that needs is loaded when it is called. */
export async function withStores(
  file: string | undefined,
  options: StoreOptions,
  work: (stores: readonly OpenStore[]) => Promise<void>,
): Promise<void> {
  const opened = await import('./open-stores.ts')
  await opened.withStores(file, options, work)
}

/** Which store is meant: the commands of the queue have the same options. */
export function withStoreOptions(command: Command): Command {
  return command
    .argument('[file]', 'the file of the agents (default: the store of this folder)')
    .option('--sessions <path | url>', 'the store', storePlace)
    .option('--agent <id>', 'only this agent; may be repeated', collect)
}

/** A parser of an option that may be repeated. */
export function collect(value: string, earlier: readonly string[] = []): string[] {
  return [...earlier, value]
}

function withRun(command: Command, work: (stores: readonly OpenStore[], runId: string) => Promise<void>): void {
  withStoreOptions(command.argument('<id>', 'the id of the run')).action(
    (runId: string, file: string | undefined, options: StoreOptions) =>
      withStores(file, options, (it) => work(it, runId)),
  )
}

async function list(stores: readonly OpenStore[], { user, session, status, limit }: ListOptions): Promise<void> {
  const filter = definedOnly({ userId: user, sessionId: session, status, limit })
  const found = await Promise.all(stores.flatMap(({ agents }) => agents).map((agent) => agent.runs(filter)))
  const newest = found.flat().sort(byCreation).slice(0, limit)
  if (newest.length === 0) print('No runs.')
  else await printTable([runColumns, ...newest.map(runRow)])
  await warn(stores)
}

function byCreation(one: RunRecord, other: RunRecord): number {
  return one.createdAt < other.createdAt ? 1 : one.createdAt > other.createdAt ? -1 : 0
}

async function show(stores: readonly OpenStore[], runId: string): Promise<void> {
  const { store, stored: own } = (await findRun(stores, runId)) ?? {}
  if (!store || !own) return noRun(stores, runId)
  const stored = await withWaitingMembers(store.sessions, own)
  for (const line of runLines(stored, await store.background.undelivered(runId))) print(line)
  printAnswer(stored.record)
  const { agentId, status } = stored.record
  if (status !== 'queued' && status !== 'running') return
  for (const warning of await workerWarnings(store.runs, [agentId])) printError(`warning: ${warning}`)
}

/** An answer may have many lines. */
function printAnswer({ text = '' }: RunRecord): void {
  if (text !== '') process.stdout.write(`\n${terminalText(text)}\n`)
}

async function cancel(stores: readonly OpenStore[], runId: string): Promise<void> {
  const { agent } = (await findRun(stores, runId)) ?? {}
  if (!agent) return noRun(stores, runId)
  print((await agent.cancel(runId)) ? `The run ${runId} is cancelled.` : `The run ${runId} had ended.`)
}

async function retry(stores: readonly OpenStore[], runId: string): Promise<void> {
  const { agent } = (await findRun(stores, runId)) ?? {}
  if (!agent) return noRun(stores, runId)
  await agent.retry(runId)
  print(`The run ${runId} is queued again.`)
}

/** A run of one of the agents that the command is about. */
async function findRun(stores: readonly OpenStore[], runId: string) {
  for (const store of stores) {
    const stored = await store.runs.read(runId)
    const agent = store.agents.find(({ id }) => id === stored?.record.agentId)
    if (stored && agent) return { store, stored, agent }
  }
  return undefined
}

function noRun(stores: readonly OpenStore[], runId: string): void {
  const names = [...new Set(stores.map(({ name }) => name))].join(', ')
  printError(`There is no run "${runId.slice(0, 200)}" in ${names}. List them: agentkit runs list`)
  process.exitCode = 1
}

async function listSchedules(stores: readonly OpenStore[]): Promise<void> {
  const rows: string[][] = []
  for (const agent of stores.flatMap(({ agents }) => agents)) {
    for (const { name, cron, timeZone, missed, next, last, userId } of await agent.schedules()) {
      rows.push([name, agent.id, cron, timeZone, missed, next, last ?? '-', userId])
    }
  }
  if (rows.length === 0) print('No schedules.')
  else await printTable([['schedule', 'agent', 'cron', 'time zone', 'missed', 'next', 'last', 'user'], ...rows])
  await warn(stores)
}

async function removeSchedule(stores: readonly OpenStore[], name: string): Promise<void> {
  const having = []
  for (const agent of stores.flatMap(({ agents }) => agents)) {
    if ((await agent.schedules()).some((schedule) => schedule.name === name)) having.push(agent)
  }
  const [agent, ...others] = having
  if (!agent) {
    printError(`There is no schedule "${name}". List them: agentkit runs schedules`)
    process.exitCode = 1
    return
  }
  if (others.length > 0) {
    throw new UsageError(
      `Several agents have a schedule "${name}": ${having.map(({ id }) => id).join(', ')}. Pass --agent.`,
    )
  }
  await agent.unschedule(name)
  print(`The schedule "${name}" of ${agent.id} is removed.`)
}

async function warn(stores: readonly OpenStore[]): Promise<void> {
  for (const { runs, agents } of stores) {
    const warnings = await workerWarnings(
      runs,
      agents.map(({ id }) => id),
    )
    for (const warning of warnings) printError(`warning: ${warning}`)
  }
}
