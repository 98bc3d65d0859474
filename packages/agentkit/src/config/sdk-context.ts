import { resolve } from 'node:path'
import { type Knowledge, type SessionStore, terminalLine } from '@agentkit/core'
import { checkOptions, invalidArgument, invalidConfig, nearestWord, shareQueues } from '@agentkit/core/internal'
import { sqliteSessions } from '@agentkit/sessions/sqlite/internal'
import { printOnce } from '../util/print-once.ts'
import { flushTelemetry } from '../util/use-telemetry.ts'
import { agentSettings, strayTables } from './agent-settings.ts'
import type { Config } from './config.ts'
import { type AgentTable, reservedTables } from './config-keys.ts'
import { loadDotEnv } from './load-dot-env.ts'
import { isPostgres, postgresStore } from './postgres-store.ts'
import { isProjectsOwn } from './project-tests.ts'
import { isConfigPath, readConfig } from './read-config.ts'
import { isAddress, nameStore, pathOfFileAddress } from './store-names.ts'

/** The session store when `sessions` is absent. */
export const defaultSessionsPath = 'agentkit-data/sessions.db'

/** Each sync of files may have a notice of its own, and a server makes any number of them. */
const mostNotices = 1_000

/**
 * The context that agents share: the configuration file, the environment, and resources such as the session store.
 *
 * The constructor loads the working directory's `.env` (a variable that is already set keeps its value) and reads the
 * file. Close the context after the last run of its agents.
 *
 * @param options.configPath the TOML file; default: `./agentkit_config.toml`, if it exists. Tests of a project (by Vitest, or
 *   `node --test`) read its file only where they pass the path.
 * @throws AgentKitError `invalid-config` for a missing file, invalid TOML, and a value of the wrong type or out of
 *   range; the message has the file, the line and the fix
 * @throws AgentKitError `invalid-argument` for an unknown option
 * @example
 * const sdkContext = new SDKContext({ configPath: './agentkit_config.toml' })
 * const research = new Agent({ name: 'Research', functions: [search], sdkContext })
 * const analyst = new Agent({ name: 'Analyst', functions: [calculate], sdkContext })
 */
export class SDKContext {
  readonly config: Config
  readonly #warnings: string[] = []
  readonly #agents = new Map<string, { name: string; id: string }>()
  readonly #stores = new Map<string, SessionStore>()
  readonly #notices = new Set<string>()
  readonly #knowledge = new Map<string, Knowledge>()
  #strayTablesReported = false
  readonly #closers: (() => Promise<void>)[] = []
  #closed = false

  constructor(options: { configPath?: string } = {}) {
    checkOptions(options, { configPath: isConfigPath })
    const problem = loadDotEnv()
    if (problem) this.warn(problem)
    this.config = readConfig(options.configPath)
    for (const warning of this.config.warnings) this.warn(warning)
  }

  /** One sentence for each entry that has no effect. Each is printed once in a process, when it is found. */
  get warnings(): readonly string[] {
    return [...this.#warnings]
  }

  /** Adds a warning, and prints it unless this process has printed it. */
  warn(warning: string): void {
    if (this.#warnings.includes(warning)) return
    this.#warnings.push(warning)
    printOnce(warning)
  }

  /** Prints a message that is not a warning, once among the last ones. */
  notice(text: string): void {
    if (this.#notices.has(text)) return
    if (this.#notices.size === mostNotices) this.#notices.clear()
    this.#notices.add(text)
    console.warn(terminalLine(`agentkit: ${text}`))
  }

  /**
   * An agent's settings. The agent belongs to this context from now on.
   * @throws AgentKitError as {@link agentSettings} does
   */
  settingsOf(agent: { name: string; id: string }): AgentTable {
    const settings = agentSettings(this.config, agent)
    this.#agents.set(`${agent.id}\n${agent.name}`, agent)
    for (const table of [agent.name, agent.id]) if (this.config.agents.has(table)) takenTables(this.config).add(table)
    return settings
  }

  /**
   * The session store at a place, shared by all agents of this context. It opens when it is first used.
   *
   * @param place the path of a SQLite file, by default `agentkit-data/sessions.db`, or `postgres://…`; `:memory:` stores
   *   nothing on disk
   * @throws AgentKitError `invalid-config` for another URL; `missing-package` where Postgres needs a package
   * @throws AgentKitError `invalid-argument` for an empty text, and when the context is closed
   */
  sessionsAt(place: string = defaultSessionsPath): SessionStore {
    this.#requireOpen()
    const path = pathOfFileAddress(place)
    if (path !== undefined) {
      throw invalidConfig(`\`sessions\` is the path of a SQLite file or postgres://…. Write the path alone: "${path}".`)
    }
    if (isAddress(place) && !isPostgres(place)) {
      const scheme = place.slice(0, place.indexOf(':'))
      throw invalidConfig(`\`sessions\` is the path of a SQLite file or postgres://…, not a ${scheme}:// address.`)
    }
    if (place.trim() === '') {
      throw invalidArgument(
        '`sessions` is empty: pass the path of a SQLite file, ":memory:" or postgres://…, or leave it out.',
      )
    }
    const isPath = !isAddress(place) && place !== ':memory:'
    const key = isPath ? resolve(place) : place.trim()
    const known = this.#stores.get(key)
    if (known) return known
    const store = isPostgres(key) ? postgresStore(key) : sqliteSessions(key)
    this.#stores.set(key, store)
    nameStore(store, key)
    // An agent that is created per request has a context of its own.
    if (key !== ':memory:') shareQueues(store, key)
    return store
  }

  /**
   * The knowledge of a key, shared by all agents of this context with the same options.
   * @throws AgentKitError `invalid-argument` when the context is closed
   */
  knowledgeAt<Created extends Knowledge>(key: string, create: () => Created): Created {
    this.#requireOpen()
    const knowledge = this.#knowledge.get(key) ?? create()
    this.#knowledge.set(key, knowledge)
    return knowledge as Created // one key belongs to one `create`
  }

  /**
   * Calls a function when the context is closed.
   * @throws AgentKitError `invalid-argument` when it is closed already
   */
  onClose(close: () => Promise<void>): void {
    this.#requireOpen()
    this.#closers.push(close)
  }

  #requireOpen(): void {
    if (this.#closed) throw invalidArgument('The SDKContext is closed. Create a new one.')
  }

  /** Warns of tables that belong to no agent, once, when the first run starts. */
  warnOfStrayTables(): void {
    if (this.#strayTablesReported || isProjectsOwn(this.config.path)) return
    this.#strayTablesReported = true
    const agents = [...this.#agents.values()]
    for (const table of strayTables(this.config, takenTables(this.config))) this.warn(this.#strayTable(table, agents))
  }

  /**
   * A sentence about the table that is probably a misspelt table of this agent or of `[defaults]`: the reason why a
   * setting is absent.
   */
  misspeltTable(agent: { name: string; id: string }): string | undefined {
    const words = ['defaults', agent.id, agent.name]
    const [table] = strayTables(this.config, takenTables(this.config)).filter((one) => nearestWord(one, words))
    return table === undefined ? undefined : this.#strayTable(table, [agent])
  }

  #strayTable(table: string, agents: readonly { name: string; id: string }[]): string {
    const nearest = nearestWord(table, [...reservedTables, ...agents.flatMap(({ name, id }) => [id, name])])
    const hint = nearest ? `Did you mean [${nearest}]?` : 'A table is found by the name or id of an agent.'
    return `${this.config.path}: [${table}] belongs to no agent. ${hint}`
  }

  /**
   * Closes the shared stores and knowledge, and exports the pending telemetry if the file has `telemetry`, for two seconds
   * at most. Closing twice is allowed.
   */
  async close(): Promise<void> {
    this.#closed = true
    const stores = [...this.#stores.values()]
    this.#stores.clear()
    const knowledge = [...this.#knowledge.values()]
    this.#knowledge.clear()
    const closers = this.#closers.splice(0)
    await Promise.all([
      ...[...stores, ...knowledge].map((resource) => resource.close()),
      ...closers.map((close) => close()),
    ])
    if (this.config.defaults.telemetry !== undefined) await flushTelemetry()
  }
}

/** The tables that agents of this process have taken, by the path of their file: each of them may have its own context. */
const takenByPath = new Map<string, Set<string>>()

function takenTables({ path = '' }: Config): Set<string> {
  const taken = takenByPath.get(path) ?? new Set<string>()
  takenByPath.set(path, taken)
  return taken
}
