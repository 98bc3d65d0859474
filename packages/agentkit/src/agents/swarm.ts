import { Swarm as CoreSwarm, type MemberHistory } from '@agentkit/core'
import { agentIdFrom, noteSeparate } from '@agentkit/core/internal'
import type { AgentServer } from '@agentkit/server'
import type { AgentTable } from '../config/config-keys.ts'
import type { SDKContext } from '../config/sdk-context.ts'
import { agentKnowledge } from '../knowledge/agent-knowledge.ts'
import { agentMemory } from '../knowledge/agent-memory.ts'
import type { ServeOptions } from '../serve/serve-agent.ts'
import { definedOnly } from '../util/defined-only.ts'
import { type AgentHome, agentHome } from './agent-home.ts'
import { chatProvidersOf, modelsOf } from './agent-models.ts'

import { configAgents, toolsOf } from './config-agents.ts'
import { checkSwarmOptions, type SwarmOptions } from './options.ts'
import { contextOf, sessionsOf, sharedOptions } from './shared-options.ts'

/**
 * Agents that work together on one task, with the configuration file, models by name, sessions on disk, and a server.
 *
 * @example
 * const swarm = new Swarm({ name: 'Research Team', agents: [research, analyst, reporter], sdkContext })
 * console.log(await swarm.chat('Can you analyze the following data: [1, 2, 3, 4, 5]'))
 * await swarm.run() // http://127.0.0.1:8000
 */
export class Swarm<Output = undefined> extends CoreSwarm<Output> {
  /** The context that was passed, or the swarm's own. */
  readonly sdkContext: SDKContext
  protected override host: AgentHome

  /**
   * @throws AgentKitError `invalid-argument` for an invalid name, member, tool or number, with the fix
   * @throws AgentKitError `invalid-config` for an invalid configuration, and for `sdkContext` with `configPath`
   * @throws AgentKitError `missing-key` when the model's provider has no key; the message has the environment variables
   */
  constructor(options: SwarmOptions<Output>) {
    checkSwarmOptions(options)
    const { sdkContext, configPath: _, enableMultiModal, model, sessions, agents, ...rest } = options
    const { retrieve, requiredExts, retrievalTool, retriever, memory, functions = [], ...own } = rest
    const context = contextOf(options)
    const swarm = { name: own.name, id: agentIdFrom(own.name, own.id) }
    const settings = context.settingsOf(swarm)
    const { collaboration = settings.collaboration ?? 'manager', history = historyOf(settings) } = own
    const isManaged = collaboration === 'manager' || collaboration === 'parallel'
    const needsModel = model !== undefined || isManaged
    const models = needsModel
      ? modelsOf({ ...own, functions, ...definedOnly({ model }) }, settings, context)
      : undefined
    const files = definedOnly({ retrieve, requiredExts, retrievalTool, retriever })
    const knowledge = agentKnowledge(files, settings, chatProvidersOf(models ?? []), context)
    // Without a model of the swarm itself, the functions belong to its members. Core warns about functions without
    // effect.
    const callable = isManaged || agents !== undefined ? functions : []
    const shared = isManaged ? settings : withoutDefaultInstruction(settings, context)
    // A swarm whose members answer does not use the settings of `[defaults]`.
    const remembered = agentMemory(memory, isManaged ? settings : {})
    const store = sessionsOf(sessions, context)
    super({
      ...own,
      ...(knowledge && { knowledge }),
      ...(remembered && { memory: remembered }),
      ...(models && { model: models }),
      functions: settings.tools ? toolsOf(swarm.id, settings.tools, functions, context.config.path) : callable,
      collaboration,
      ...definedOnly({ history }),
      agents:
        agents === undefined ? configAgents(swarm, settings, functions, model ?? settings.model, context) : agents,
      sessions: store,
      ...sharedOptions(own, shared),
    })
    this.sdkContext = context
    if (context.config.server.per_user_files) noteSeparate(this)
    const ownContext = sdkContext === undefined
    this.host = agentHome(context, settings, { id: this.id, sessions: store, enableMultiModal, ownContext })
  }

  /**
   * Serves the swarm over HTTP, prints its address, and owns the process: SIGTERM and SIGINT end the runs and close the
   * swarm.
   *
   * @param options override `[server]`; default http://127.0.0.1:8000
   * @throws AgentKitError `missing-package` when the provider of a model is not installed
   * @throws AgentKitError `invalid-config` for an unknown option, an unavailable address or missing tokens
   */
  async run(options: ServeOptions = {}): Promise<AgentServer> {
    return await this.host.serve(this, options)
  }
}

function withoutDefaultInstruction(settings: AgentTable, { config }: SDKContext): AgentTable {
  const { instruction, ...rest } = settings
  return instruction === config.defaults.instruction ? rest : settings
}

function historyOf({ history }: AgentTable): MemberHistory | undefined {
  return typeof history === 'number' ? { last: history } : history
}
