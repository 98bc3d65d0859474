import type { AgentMemory } from '../contracts/memory.ts'
import type { SessionStore } from '../contracts/session-store.ts'
import type { Tool } from '../contracts/tool.ts'
import type { AgentSpec } from '../loop/run/types.ts'
import { modelChain } from '../policies/fallback.ts'
import { memorySessions } from '../sessions/memory-sessions.ts'
import { withHostTools } from '../tools/host-tools.ts'
import { toTools } from '../tools/to-tools.ts'
import { AgentBase } from './agent-base.ts'
import { agentIdFrom } from './agent-id.ts'
import { type AgentOptions, checkAgentOptions, checkModels } from './agent-options.ts'
import { agentSpec } from './agent-spec.ts'
import { useLists } from './shared-lists.ts'

/**
 * An agent: a model with a name, an instruction and functions that it may call.
 *
 * @example
 * const agent = new Agent({ name: 'Weather', functions: [weather], model: openai().model('gpt-5.4-mini') })
 * const answer = await agent.chat('Do I need an umbrella in Oslo?', { sessionId: 'ada' })
 */
export class Agent<Output = undefined> extends AgentBase<Output> {
  /** The store of conversations. */
  readonly sessions: SessionStore
  readonly #spec: AgentSpec
  readonly #tools: Map<string, Tool>
  readonly #memory: AgentMemory | undefined

  /**
   * @throws AgentKitError `invalid-argument` for an unknown or invalid option, with the fix
   * @throws AgentKitError `invalid-config` for a budget in US dollars with a model of unknown price
   */
  constructor(options: AgentOptions<Output>) {
    // Checked first: options without a name are usually no options at all.
    const id = agentIdFrom(options?.name, options?.id)
    checkAgentOptions(options)
    super(id, options)
    const { functions = [], sessions = memorySessions() } = options
    this.sessions = sessions
    const chain = modelChain(checkModels(options.model))
    this.#memory = options.memory?.({ agentId: id, sessions })
    this.#tools = toTools([...functions, ...(this.#memory?.tools ?? [])])
    const spec = agentSpec(options, { id, chain, sessions, tools: this.#tools, memory: this.#memory })
    const tools = withHostTools(spec.tools, (run) => this.hostTools(run))
    this.#spec = { ...spec, tools, takes: (message) => this.checkMessage(message) }
    useLists(this, functions)
  }

  /** @internal */
  protected override ownMemory(): AgentMemory | undefined {
    return this.#memory
  }

  /** @internal */
  protected override ownTools(): Iterable<Tool> {
    return this.#tools.values()
  }

  /** @internal */
  override toSpec(): AgentSpec {
    return this.#spec
  }
}
