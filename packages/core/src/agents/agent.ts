import type { Knowledge } from '../contracts/knowledge.ts'
import type { SessionStore } from '../contracts/session-store.ts'
import type { AgentSpec } from '../loop/types.ts'
import { modelChain } from '../policies/fallback.ts'
import { memorySessions } from '../sessions/memory-sessions.ts'
import { toTools } from '../tools/define-tool.ts'
import { checkOptionNames } from '../util/option-names.ts'
import { AgentBase } from './agent-base.ts'
import { agentIdFrom } from './agent-id.ts'
import { type AgentOptions, agentOptionNames, checkModels, checkOptions } from './agent-options.ts'
import { agentSpec } from './agent-spec.ts'

/**
 * A name, an instruction and a list of functions that a model may call.
 *
 * @example
 * const agent = new Agent({ name: 'Weather', functions: [weather], model: openai().model('gpt-5.4-mini') })
 * const answer = await agent.chat('Do I need an umbrella in Oslo?', { sessionId: 'ada' })
 */
export class Agent<Output = undefined> extends AgentBase<Output> {
  readonly id: string
  readonly name: string
  readonly description: string | undefined
  readonly samplePrompts: readonly string[]
  readonly sessions: SessionStore
  readonly knowledge: Knowledge | undefined
  readonly #spec: AgentSpec

  /**
   * @throws AgentKitError `invalid-argument` when a name, id, tool or number cannot be used, with the fix
   * @throws AgentKitError `invalid-config` for an option that does not exist, and for a budget in US dollars with a model
   *   whose price is not known
   */
  constructor(options: AgentOptions<Output>) {
    super()
    // What has no name has mostly no options at all.
    this.id = agentIdFrom(options?.name, options?.id)
    checkOptionNames(options, agentOptionNames, { code: 'invalid-config' })
    const given = checkOptions(options)
    const { samplePrompts = [], sessions = memorySessions() } = given
    this.name = given.name
    this.description = given.description
    this.samplePrompts = [...samplePrompts]
    this.sessions = sessions
    this.knowledge = given.knowledge
    const chain = modelChain(checkModels(given.model))
    const spec = agentSpec(given, { id: this.id, chain, sessions, tools: toTools(given.functions) })
    this.#spec = { ...spec, takes: (message) => this.checkMessage(message) }
  }

  /** @internal */
  override toSpec(): AgentSpec {
    return this.#spec
  }
}
