import { Agent as CoreAgent, type ToolLike } from '@agentkit/core'
import { agentIdFrom, listTools, noteSeparate } from '@agentkit/core/internal'
import type { AgentServer } from '@agentkit/server'
import type { SDKContext } from '../config/sdk-context.ts'
import { agentKnowledge } from '../knowledge/agent-knowledge.ts'
import { agentMemory } from '../knowledge/agent-memory.ts'
import type { ServeOptions } from '../serve/serve-agent.ts'
import { definedOnly } from '../util/defined-only.ts'
import { type AgentHome, agentHome } from './agent-home.ts'
import { chatProvidersOf, modelsOf, readsNoImages } from './agent-models.ts'
import { type AgentOptions, checkAgentOptions } from './options.ts'
import { contextOf, sessionsOf, sharedOptions } from './shared-options.ts'

/**
 * An agent with the configuration file, models by name, sessions on disk, and a server.
 *
 * Options override the agent's table in the configuration, which overrides `[defaults]`, which overrides the
 * environment. Without `sdkContext` the agent creates its own context and closes it.
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
   * @throws AgentKitError `invalid-argument` for an invalid name, id, tool or number, with the fix
   * @throws AgentKitError `invalid-config` for an invalid configuration, and for `sdkContext` with `configPath`
   * @throws AgentKitError `missing-key` when the model's provider has no key; the message has the environment variables
   */
  constructor(options: AgentOptions<Output>) {
    checkAgentOptions(options)
    const { sdkContext, configPath: _, enableMultiModal, model, sessions, ...rest } = options
    const { retrieve, requiredExts, retrievalTool, retriever, memory, ...own } = rest
    const context = contextOf(options)
    const settings = context.settingsOf({ name: own.name, id: agentIdFrom(own.name, own.id) })
    warnOfSwarmKeys(own, own.functions ?? [], context)
    const models = modelsOf(options, settings, context)
    const files = definedOnly({ retrieve, requiredExts, retrievalTool, retriever })
    const knowledge = agentKnowledge(files, settings, chatProvidersOf(models), context)
    const remembered = agentMemory(memory, settings)
    const store = sessionsOf(sessions, context)
    super({
      ...own,
      ...(knowledge && { knowledge }),
      ...(remembered && { memory: remembered }),
      model: models,
      sessions: store,
      ...sharedOptions(own, settings),
    })
    this.sdkContext = context
    if (context.config.server.per_user_files) noteSeparate(this)
    const ownContext = sdkContext === undefined
    const isWithoutImages = readsNoImages(options, settings, context)
    const home = { id: this.id, sessions: store, enableMultiModal, isWithoutImages, ownContext }
    this.host = agentHome(context, settings, home)
  }

  /**
   * Serves the agent over HTTP, prints its address, and owns the process: SIGTERM and SIGINT end the runs and close the
   * agent.
   *
   * @param options override `[server]`; default http://127.0.0.1:8000
   * @throws AgentKitError `missing-package` when the model's provider is not installed
   * @throws AgentKitError `invalid-config` for an unknown option, an unavailable address or missing tokens
   */
  async run(options: ServeOptions = {}): Promise<AgentServer> {
    return await this.host.serve(this, options)
  }
}

/** Warns of keys in an agent's table that have an effect for swarms only. */
function warnOfSwarmKeys(
  { name, id }: { name: string; id?: string | undefined },
  functions: readonly ToolLike[],
  context: SDKContext,
): void {
  const { agents, path } = context.config
  const table = agents.get(name) ?? agents.get(agentIdFrom(name, id))
  if (!table) return
  const unused = (['agents', 'collaboration', 'history'] as const).filter((key) => table[key] !== undefined)
  for (const key of unused) context.warn(`${path}: \`${key}\` of "${name}" has no effect: it is not a swarm.`)
  // A swarm that defines its members by the configuration passes exactly these functions.
  if (table.tools === undefined) return
  const names = listTools(functions).map((one) => one.name)
  if (table.tools.join() === names.join()) return
  context.warn(`${path}: \`tools\` of "${name}" has no effect: its functions are passed in the code.`)
}
