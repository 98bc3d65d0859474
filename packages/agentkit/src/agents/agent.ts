import { Agent as CoreAgent, type ToolLike } from '@agentkit/core'
import { agentIdFrom } from '@agentkit/core/internal'
import type { AgentServer } from '@agentkit/server'
import type { SDKContext } from '../config/sdk-context.ts'
import { agentKnowledge } from '../knowledge/agent-knowledge.ts'
import type { ServeOptions } from '../serve/serve-agent.ts'
import { definedOnly } from '../util/defined-only.ts'
import { type AgentHome, agentHome } from './agent-home.ts'
import { chatProvidersOf, modelsOf } from './agent-models.ts'
import { type AgentOptions, checkOptions } from './options.ts'
import { contextOf, sessionsOf, sharedOptions } from './shared-options.ts'

/**
 * An agent with all that belongs to it: the configuration file, models by name, sessions on disk, and a server.
 *
 * An option counts before the agent's table in the configuration, that before `[defaults]`, that before the
 * environment. Without `sdkContext` the agent makes a context of its own and closes it.
 *
 * @example
 * const agent = new Agent({ name: 'Weather', functions: [weather], instruction: 'You answer briefly.' })
 * console.log(await agent.chat('Do I need an umbrella in Oslo?'))
 * await agent.run() // http://127.0.0.1:8000
 */
export class Agent<Output = undefined> extends CoreAgent<Output> {
  /** The context that was passed, or the agent's own. */
  readonly sdkContext: SDKContext
  protected override host: AgentHome

  /**
   * @throws AgentKitError `invalid-argument` when a name, id, tool or number cannot be used, with the fix
   * @throws AgentKitError `invalid-config` for a configuration that is wrong, and for `sdkContext` beside `configPath`
   * @throws AgentKitError `missing-key` when the model's provider has no key, naming the environment variables
   */
  constructor(options: AgentOptions<Output>) {
    checkOptions(options)
    const { sdkContext, configPath: _, enableMultiModal, model, sessions, ...rest } = options
    const { retrieve, requiredExts, retrievalTool, retriever, ...own } = rest
    const context = contextOf(options)
    const settings = context.settingsOf({ name: own.name, id: agentIdFrom(own.name, own.id) })
    warnOfSwarmKeys(own, own.functions, context)
    const models = modelsOf(options, settings, context)
    const files = definedOnly({ retrieve, requiredExts, retrievalTool, retriever })
    const knowledge = agentKnowledge(files, settings, chatProvidersOf(models), context)
    super({
      ...own,
      ...(knowledge && { knowledge }),
      model: models,
      sessions: sessionsOf(sessions, context),
      ...sharedOptions(own, settings),
    })
    this.sdkContext = context
    this.host = agentHome(context, settings, { id: this.id, enableMultiModal, ownContext: sdkContext === undefined })
  }

  /**
   * Serves the agent over HTTP, says where, and owns the process: SIGTERM and SIGINT end what is running and close the agent.
   *
   * @param options beat those of `[server]`; default http://127.0.0.1:8000
   * @throws AgentKitError `missing-package` when the model's provider is not installed
   * @throws AgentKitError `invalid-config` for an option that does not exist, an address that cannot be served, or tokens
   *   that are not there
   */
  async run(options: ServeOptions = {}): Promise<AgentServer> {
    return await this.host.serve(this, options)
  }
}

/** Warns of keys in an agent's own table that mean something for swarms, and nothing for it. */
function warnOfSwarmKeys(
  { name, id }: { name: string; id?: string },
  functions: readonly ToolLike[],
  context: SDKContext,
): void {
  const { agents, path } = context.config
  const table = agents.get(name) ?? agents.get(agentIdFrom(name, id))
  if (!table) return
  const vain = (['agents', 'collaboration', 'history'] as const).filter((key) => table[key] !== undefined)
  for (const key of vain) context.warn(`${path}: \`${key}\` of "${name}" has no effect: it is no swarm.`)
  // A swarm that makes its members by the configuration has given it just those.
  const given = functions.map((one) => one.name).join()
  if (table.tools === undefined || table.tools.join() === given) return
  context.warn(`${path}: \`tools\` of "${name}" has no effect: its functions are given in the code.`)
}
