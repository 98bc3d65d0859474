import { workOn } from '@agentkit/core/internal'
import { Command } from 'commander'
import { storeName } from '../config/store-names.ts'
import type { LoadedAgent } from './common/load-agents.ts'
import { print, printError } from './common/print.ts'
import { wholeNumber } from './common/whole-number.ts'
import { collect } from './runs-command.ts'
import { workerWarnings } from './worker-warnings.ts'

type WorkerOptions = { concurrency: number; agent?: string[] }

/** `agentkit worker agents.ts`: begins and continues the background runs of a file's agents. */
export function workerCommand(): Command {
  return new Command('worker')
    .argument('[file]', 'the file that exports the agents (default: agent.ts, app.ts, also in src/)')
    .option('--concurrency <count>', 'runs at once, from 1 to 1,000', wholeNumber('--concurrency', 1, 1_000), 25)
    .option('--agent <id>', 'only this agent; may be repeated', collect)
    .addHelpText('after', examples)
    .action(work)
}

const examples = `
Examples:
  agentkit worker agents.ts
  agentkit worker agents.ts --agent writer --agent analyst --concurrency 10

It works until Ctrl-C or SIGTERM. Exit codes: 0 stopped, 1 failed, 2 wrong usage.`

async function work(file: string | undefined, { concurrency, agent: ids = [] }: WorkerOptions): Promise<void> {
  const { chosenAgents, loadAgents } = await import('./common/load-agents.ts')
  const loaded = await loadAgents(file, { ids })
  const agents = chosenAgents(loaded, ids)
  const { handleSignals } = await import('@agentkit/server')
  for (const agent of agents) await Promise.all(agent.models.map((model) => model.load?.()))
  const onRemoved = (what: string): void => print(`Removed ${what}, as the retention says.`)
  const { createLog, logRun } = await import('@agentkit/server/internal')
  const log = createLog(await logFormat(agents))
  const worker = await workOn(agents, {
    concurrency,
    onRemoved,
    onSettled: ({ requestId }, _spent, result) => logRun(result, { log, requestId }),
  })
  handleSignals({ url: '', close: () => worker.close() }, { afterClose: () => loaded.close() })
  for (const [name, own] of byStoreName(agents)) {
    print(
      `Working on ${own.map(titleOf).join(', ')}, stored in ${name}: ${concurrency} runs at once, process ${process.pid}.`,
    )
    // The warnings include agents that this worker does not have.
    const { runs } = own[0]?.toSpec().sessions ?? {}
    for (const warning of runs ? await workerWarnings(runs) : []) printError(`warning: ${warning}`)
  }
  // A signal ends the process. A worker without work has no open handle that would keep it alive.
  await new Promise(() => setInterval(() => {}, 60_000))
}

/** The log format that a server of these agents would use. */
async function logFormat(agents: readonly LoadedAgent[]): Promise<'human' | 'json'> {
  const { SDKContext } = await import('../config/sdk-context.ts')
  const { agentSettings } = await import('../config/agent-settings.ts')
  const [served] = agents.flatMap((agent) =>
    'sdkContext' in agent && agent.sdkContext instanceof SDKContext
      ? [{ ...agentSettings(agent.sdkContext.config, agent), ...agent.sdkContext.config.server }]
      : [],
  )
  return served?.log ?? ((served?.environment ?? process.env.NODE_ENV) === 'production' ? 'json' : 'human')
}

function titleOf({ id, members }: LoadedAgent): string {
  return members.length === 0 ? `the agent ${id}` : `the swarm ${id}`
}

/** Agents without a common context have stores of their own, which may be in one place. */
function byStoreName(agents: readonly LoadedAgent[]): Map<string, LoadedAgent[]> {
  const stores = new Map<string, LoadedAgent[]>()
  for (const agent of agents) {
    const name = storeName(agent.toSpec().sessions)
    stores.set(name, [...(stores.get(name) ?? []), agent])
  }
  return stores
}
