import { existsSync } from 'node:fs'
import { Agent, type BackgroundRuns, type Model, type RunStore, type SessionStore } from '@agentkit/core'
import { nearestWord } from '@agentkit/core/internal'
import { SDKContext } from '../config/sdk-context.ts'
import { isAddress, placeOf, storeName } from '../config/store-names.ts'
import { checkFile } from './common/agent-file.ts'
import { chosenAgents, type LoadedAgent, loadAgents } from './common/load-agents.ts'
import { UsageError } from './common/usage-error.ts'

export type StoreOptions = {
  sessions?: string
  agent?: string[]
}

/** A store with its agents, as the commands that show and change stored runs need them. */
export type OpenStore = {
  name: string
  sessions: SessionStore
  runs: RunStore
  background: BackgroundRuns
  /** The agents that were named; without a file, the agents that have stored runs. */
  agents: readonly Pick<LoadedAgent, StoredMethods>[]
}

type StoredMethods = 'id' | 'runs' | 'cancel' | 'retry' | 'schedules' | 'unschedule'

/**
 * Opens the stores of a file's agents, or the store of `--sessions`, else the default store of this folder, while
 * `work` runs.
 *
 * @throws UsageError for a file, a store or an agent that does not exist, and for a store without background runs
 */
export async function withStores(
  file: string | undefined,
  { sessions, agent: ids = [] }: StoreOptions,
  work: (stores: readonly OpenStore[]) => Promise<void>,
): Promise<void> {
  if (file !== undefined && sessions !== undefined) throw new UsageError('Pass a file or --sessions, not both.')
  if (file === undefined) return withStoreAt(sessions, ids, work)
  const loaded = await quietly(() => loadAgents(file, { standIn: 'silent' }))
  try {
    // Each agent may have opened the same file or database for itself.
    const byPlace = Map.groupBy(chosenAgents(loaded, ids), (agent) => placeOf(agent.toSpec().sessions))
    const groups = [...byPlace.values()]
    await work(groups.flatMap((agents) => (agents[0] ? [openStore(agents[0].toSpec().sessions, agents)] : [])))
  } finally {
    await loaded.close()
  }
}

async function withStoreAt(
  place: string | undefined,
  ids: readonly string[],
  work: (stores: readonly OpenStore[]) => Promise<void>,
): Promise<void> {
  const context = new SDKContext()
  try {
    if (place !== undefined && !isAddress(place)) checkFile(place, 'Pass the path of a SQLite file of sessions.')
    const store = context.sessionsAt(place)
    const name = storeName(store)
    if (place === undefined && !existsSync(name)) {
      throw new UsageError(`There is no "${name}" in this folder. Pass the file of your agents, or --sessions.`)
    }
    const known = await knownAgents(store)
    for (const id of ids) if (!known.includes(id)) throw unknownAgent(id, known, name)
    const agentIds = ids.length > 0 ? ids : known
    await work([
      openStore(
        store,
        agentIds.map((id) => storedAgent(id, store)),
      ),
    ])
  } finally {
    await context.close()
  }
}

/** The agents that have runs, schedules or workers in a store. */
async function knownAgents({ runs }: SessionStore): Promise<string[]> {
  const ids = (await runs?.agents?.()) ?? []
  const schedules = (await runs?.background?.schedules({})) ?? []
  const known = new Set([...ids, ...schedules.map(({ agentId }) => agentId)])
  // The turns of a swarm's members have a path as their agent: they are a part of the swarm's runs.
  return [...known].filter((id) => !id.includes('/')).sort()
}

function unknownAgent(id: string, known: readonly string[], store: string): UsageError {
  const nearest = nearestWord(id, known)
  const hint = nearest === undefined ? `It has ${known.join(', ') || 'none'}.` : `Did you mean "${nearest}"?`
  return new UsageError(`"${store}" has no runs of an agent "${id}". ${hint}`)
}

function openStore(store: SessionStore, agents: OpenStore['agents']): OpenStore {
  const { runs } = store
  if (runs?.background) return { name: storeName(store), sessions: store, runs, background: runs.background, agents }
  throw new UsageError(`Background runs need sessions on disk or Postgres, and these are in ${storeName(store)}.`)
}

/** An agent that is known by its stored runs alone: it can change them, and has no model to run. */
function storedAgent(id: string, sessions: SessionStore): Agent {
  const model: Model = {
    id: 'none/none',
    stream() {
      throw new UsageError(`The agent "${id}" is known by its stored runs alone. Pass its file.`)
    },
  }
  return new Agent({ name: id, id, functions: [], model, sessions })
}

/** Redirects to stderr what a file prints while it is loaded, because it is not part of the command's result. */
async function quietly<Value>(load: () => Promise<Value>): Promise<Value> {
  const { write } = process.stdout
  process.stdout.write = process.stderr.write.bind(process.stderr)
  try {
    return await load()
  } finally {
    process.stdout.write = write
  }
}
