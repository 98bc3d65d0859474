import { resolve } from 'node:path'
import { AgentKitError, type Knowledge, type SessionStore, terminalLine } from '@agentkit/core'
import { checkOptionNames } from '@agentkit/core/internal'
import { sqliteSessions } from '@agentkit/sessions'
import { nearestWord } from '../util/nearest-word.ts'
import { agentSettings, strayTables } from './agent-settings.ts'
import { type Config, readConfig } from './config.ts'
import { type AgentTable, reservedTables } from './config-keys.ts'
import { loadDotEnv } from './dot-env.ts'

/** Where sessions are kept when nobody says where. */
const defaultSessionsPath = 'agentkit-data/sessions.db'

/**
 * What agents share: the configuration file, the environment, and resources such as the session store.
 *
 * Making one loads the working directory's `.env` (a variable that is set already keeps its value) and reads the file.
 * Whoever makes a context closes it, after its agents' last run.
 *
 * @param options.configPath the TOML file; absent, `./agentkit_config.toml` where there is one
 * @throws AgentKitError `invalid-config` for a file that is missing or no TOML, and for a value of the wrong type or
 *   out of range; the message tells file, line and fix
 * @throws AgentKitError `invalid-argument` for an option that does not exist
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
  #strayTablesTold = false
  #closed = false

  constructor(options: { configPath?: string } = {}) {
    checkOptionNames(options, { configPath: true }, { code: 'invalid-argument', nearest: nearestWord })
    const problem = loadDotEnv()
    if (problem) this.warn(problem)
    this.config = readConfig(options.configPath)
    for (const warning of this.config.warnings) this.warn(warning)
  }

  /** What the configuration says in vain, a sentence each. Each is printed once, when it is found. */
  get warnings(): readonly string[] {
    return [...this.#warnings]
  }

  /** Tells a warning, unless it has been told. */
  warn(warning: string): void {
    if (this.#warnings.includes(warning)) return
    this.#warnings.push(warning)
    console.warn(terminalLine(`agentkit: ${warning}`))
  }

  /** Tells what is to be known and nobody's mistake, once. */
  notice(text: string): void {
    if (this.#notices.has(text)) return
    this.#notices.add(text)
    console.warn(terminalLine(`agentkit: ${text}`))
  }

  /**
   * What the configuration says of an agent, which thereby counts as one of this context's.
   * @throws AgentKitError as {@link agentSettings} does
   */
  settingsOf(agent: { name: string; id: string }): AgentTable {
    const settings = agentSettings(this.config, agent)
    this.#agents.set(`${agent.id}\n${agent.name}`, agent)
    return settings
  }

  /**
   * The session store at a path, one for all agents of this context. It is opened by its first use.
   *
   * @param path of the SQLite file, `agentkit-data/sessions.db` when absent; `:memory:` for none
   * @throws AgentKitError `invalid-config` for an address of another kind
   * @throws AgentKitError `invalid-argument` when the context is closed
   */
  sessionsAt(path: string = defaultSessionsPath): SessionStore {
    if (this.#closed) throw new AgentKitError('invalid-argument', 'The SDKContext is closed. Make a new one.')
    if (/^\w+:\/\//.test(path)) {
      const scheme = path.slice(0, path.indexOf(':'))
      throw new AgentKitError(
        'invalid-config',
        `\`sessions\` is the path of a SQLite file, not a ${scheme}:// address.`,
      )
    }
    const file = path.trim() === '' || path === ':memory:' ? path.trim() : resolve(path)
    const store = this.#stores.get(file) ?? sqliteSessions(file)
    this.#stores.set(file, store)
    return store
  }

  /**
   * The knowledge of this key, one for all agents of this context that want the same.
   * @throws AgentKitError `invalid-argument` when the context is closed
   */
  knowledgeAt<Made extends Knowledge>(key: string, make: () => Made): Made {
    if (this.#closed) throw new AgentKitError('invalid-argument', 'The SDKContext is closed. Make a new one.')
    const knowledge = this.#knowledge.get(key) ?? make()
    this.#knowledge.set(key, knowledge)
    return knowledge as Made // what the same `make` has made before
  }

  /** Warns of agents' tables that belong to no agent: once, when the first run begins. */
  warnOfStrayTables(): void {
    if (this.#strayTablesTold) return
    this.#strayTablesTold = true
    const agents = [...this.#agents.values()]
    for (const table of strayTables(this.config, agents)) this.warn(this.#strayTable(table, agents))
  }

  #strayTable(table: string, agents: readonly { name: string; id: string }[]): string {
    const nearest = nearestWord(table, [...reservedTables, ...agents.flatMap(({ name, id }) => [id, name])])
    const hint = nearest
      ? `Did you mean [${nearest}]?`
      : 'A table is found by the name or id of an agent of this context.'
    return `${this.config.path}: [${table}] belongs to no agent. ${hint}`
  }

  /** Closes what the agents share. Closing twice is no error. */
  async close(): Promise<void> {
    this.#closed = true
    const stores = [...this.#stores.values()]
    this.#stores.clear()
    const knowledge = [...this.#knowledge.values()]
    this.#knowledge.clear()
    await Promise.all([...stores, ...knowledge].map((resource) => resource.close()))
  }
}
