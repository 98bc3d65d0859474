import { Agent, Swarm } from '@agentkit/core'
import { nearestWord } from '@agentkit/core/internal'
import { separateUserFiles } from '../../agents/user-files.ts'
import { idOfTable } from '../../config/agent-settings.ts'
import { reservedTables } from '../../config/config-keys.ts'
import { SDKContext } from '../../config/sdk-context.ts'
import { beginLoading, type LoadedFile } from '../../util/loaded-file.ts'
import { closeWithTelemetry } from '../../util/use-telemetry.ts'
import { agentFile } from './agent-file.ts'
import { importFile } from './import-file.ts'
import { UsageError } from './usage-error.ts'

export type LoadedAgent = Agent<unknown> | Swarm<unknown>

export type LoadedAgents = {
  agents: readonly LoadedAgent[]
  /** The agent of a command that needs one agent: the default export, else the export `agent`. */
  main?: LoadedAgent
  /** The file that defines the agents, for messages. */
  file: string
  /** Closes the agents and their resources, and exports the rest of their traces. */
  close(): Promise<void>
}

/**
 * The agents and swarms that a file exports, and those on which it calls `run()`, which serves nothing here. Its typed
 * functions are tools, as with `node --import agentkit/register`.
 *
 * @param file without one, a default file; where there is none, an agent of the configuration
 * @param options.ids the agents of the configuration that are meant; without one, its only one
 * @param options.standIn whether agents without a model and a key have the offline model
 * @param options.onServing where it is passed, `run()` serves, and it is called then
 * @throws UsageError for a file that is missing or has no agent; errors of the file itself
 * @throws AgentKitError `invalid-config` where users cannot have files of their own
 */
export async function loadAgents(
  file: string | undefined,
  {
    standIn = false,
    onServing,
    ids = [],
  }: Pick<LoadedFile, 'standIn' | 'onServing'> & { ids?: readonly (string | undefined)[] } = {},
): Promise<LoadedAgents> {
  const path = agentFile(file)
  const served = new Set<object>()
  beginLoading({ standIn, ...(onServing ? { onServing } : { served, perUserFiles: new Map() }) })
  const loaded =
    path === undefined
      ? await configuredAgents(ids.filter((id) => id !== undefined))
      : await loadApp(path, file ?? path, served)
  if (loaded.agents.length === 0) throw noAgent(loaded.file)
  // What serves them does it by its own options, and the stores of runs need no files.
  if (!onServing && standIn !== 'silent') await separateUserFiles(loaded.agents)
  return loaded
}

export function noAgent(file: string): UsageError {
  return new UsageError(`"${file}" has no agent. Export one (export const agent = new Agent(…)), or call its run().`)
}

/**
 * The agents of a file, of which there may be none.
 * @param served the agents on which it calls `run()`
 * @throws UsageError for two agents of one id; errors of the file itself
 */
export async function loadApp(
  path: string,
  name: string,
  served: ReadonlySet<object> = new Set(),
): Promise<LoadedAgents> {
  const exports = await importFile(path, name, 'Pass a file that exports agents.')
  const agents = agentsAmong([...Object.values(exports), ...served], name)
  const main = agents.find((agent) => agent === exports.default) ?? agents.find((agent) => agent === exports.agent)
  return { agents, file: name, ...(main && { main }), close: () => closeAll(agents) }
}

/**
 * The agents of these ids.
 * @param ids as they were passed by `--agent`; none means all
 * @throws UsageError for an unknown one, with the most similar id
 */
export function chosenAgents({ agents, file }: LoadedAgents, ids: readonly string[]): readonly LoadedAgent[] {
  const known = agents.map(({ id }) => id)
  checkKnown(ids, known, `"${file}"`)
  return ids.length === 0 ? agents : agents.filter(({ id }) => ids.includes(id))
}

function checkKnown(ids: readonly string[], known: readonly string[], file: string): void {
  for (const id of ids) {
    if (known.includes(id)) continue
    const nearest = nearestWord(id, known)
    const hint = nearest === undefined ? `It has ${known.join(', ')}.` : `Did you mean "${nearest}"?`
    throw new UsageError(`${file} has no agent "${id}". ${hint}`)
  }
}

/**
 * The agent of a command that takes one: of this id, else the only one, else the main one of the file.
 * @throws UsageError for an unknown id, and where several could be meant, with their ids
 */
export function chosenAgent(loaded: LoadedAgents, id: string | undefined): LoadedAgent {
  const { agents, main, file } = loaded
  const [first, ...others] = id === undefined ? agents : chosenAgents(loaded, [id])
  const agent = others.length > 0 ? main : first
  if (agent) return agent
  const ids = agents.map((each) => each.id).join(', ')
  throw new UsageError(`"${file}" has the agents ${ids}. Pass one by --agent <id>, or export one as default.`)
}

/** @throws UsageError for two agents of one id, and for agents of another installed copy of the package */
function agentsAmong(values: readonly unknown[], file: string): LoadedAgent[] {
  const agents: LoadedAgent[] = []
  for (const value of new Set(values)) {
    if (value instanceof Agent || value instanceof Swarm) agents.push(value)
    else if (isForeignAgent(value)) {
      const fix = "Run the command of that copy: npx agentkit, in the file's folder."
      throw new UsageError(
        `The agents of "${file}" are of another installed copy of agentkit than this command. ${fix}`,
      )
    }
  }
  const ids = agents.map(({ id }) => id)
  const twice = ids.find((id, index) => ids.indexOf(id) !== index)
  if (twice === undefined) return agents
  throw new UsageError(`"${file}" has two agents with the id "${twice}". Pass one of them another \`id\`.`)
}

/** Whether it has the methods of an agent. Workflows have them too, and are no agents of a file. */
function isForeignAgent(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return ['Agent', 'Swarm'].includes(value.constructor?.name) && 'continueRun' in value && 'toSpec' in value
}

async function configuredAgents(ids: readonly string[]): Promise<LoadedAgents> {
  const context = new SDKContext()
  const { agents: tables, path } = context.config
  const { Agent: ConfiguredAgent } = await import('../../agents/agent.ts')
  const file = path ?? ''
  const agents: LoadedAgent[] = []
  const close = (): Promise<void> => {
    return closeWithTelemetry(async () => {
      await Promise.allSettled(agents.map((agent) => agent.close()))
      await context.close()
    })
  }
  try {
    const names = [...tables.keys()]
    const chosen = namesOf(names, path, ids)
    // The tables of agents that are not chosen are not stray, unless they are probably another table, misspelt.
    for (const name of names) {
      if (!nearestWord(name, reservedTables)) context.settingsOf({ name, id: name })
    }
    for (const name of chosen) {
      agents.push(new ConfiguredAgent({ name, functions: [], sdkContext: context }))
    }
    return { agents, file, close }
  } catch (error) {
    await close()
    throw error
  }
}

/**
 * The tables of these agents; without an id, the only table.
 * @throws UsageError where there is none, several could be meant, or an id is unknown
 */
function namesOf(names: readonly string[], path: string | undefined, ids: readonly string[]): readonly string[] {
  const file = path ?? 'This folder'
  if (names.length === 0) {
    const where = path === undefined ? `${file} has no agent.ts and no agentkit_config.toml` : `${file} has no agent`
    throw new UsageError(`${where}. Pass the file that exports your agents.`)
  }
  if (ids.length === 0 && names.length > 1) {
    throw new UsageError(
      `${file} has the agents ${names.join(', ')}. Pass one by --agent <id>, or the file that exports your agents.`,
    )
  }
  if (ids.length === 0) return names
  checkKnown(ids, names.map(idOfTable), file)
  return names.filter((name) => ids.includes(idOfTable(name)))
}

/** Agents close their own contexts; those that were passed are closed here, as their file does not get to do it. */
function closeAll(agents: readonly LoadedAgent[]): Promise<void> {
  return closeWithTelemetry(async () => {
    await Promise.allSettled(agents.map((agent) => agent.close()))
    const contexts = new Set(agents.flatMap((agent) => ('sdkContext' in agent ? [agent.sdkContext] : [])))
    await Promise.allSettled(
      [...contexts].map((context) => (context instanceof SDKContext ? context.close() : undefined)),
    )
  })
}
