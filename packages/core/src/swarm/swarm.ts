import { AgentBase } from '../agents/agent-base.ts'
import { agentIdFrom } from '../agents/agent-id.ts'
import { checkModels } from '../agents/agent-options.ts'
import { agentSpec } from '../agents/agent-spec.ts'
import { agentVersion } from '../agents/agent-version.ts'
import { useLists } from '../agents/shared-lists.ts'
import type { AgentMemory } from '../contracts/memory.ts'
import type { Model } from '../contracts/model.ts'
import { separateAsIn } from '../contracts/separate-users.ts'
import type { SessionStore } from '../contracts/session-store.ts'
import type { Tool } from '../contracts/tool.ts'
import { AgentKitError, invalidArgument } from '../data/errors.ts'
import { limits } from '../limits.ts'
import type { AgentSpec } from '../loop/run/types.ts'
import { modelChain } from '../policies/fallback.ts'
import { memberToolName } from '../runs/driver/member-run.ts'
import type { AgentInfo } from '../runs/driver/run.ts'
import { memorySessions } from '../sessions/memory-sessions.ts'
import { withHostTools } from '../tools/host-tools.ts'
import { toTools } from '../tools/to-tools.ts'
import { type Collaborate, handoff, manager, parallel } from './collaboration.ts'
import { withMemberSessions } from './member-sessions.ts'
import { routed } from './route.ts'
import { sequence } from './sequence.ts'
import {
  type Collaboration,
  checkSwarmOptions,
  type Member,
  needsModel,
  type SwarmOptions,
  unusedByHandoff,
  unusedOptions,
} from './swarm-options.ts'

/**
 * Agents that work together on one task: in one event stream, under one budget, in one session.
 *
 * @example
 * const swarm = new Swarm({ name: 'Research Team', agents: [research, analyst, reporter], model })
 * const answer = await swarm.chat('Analyse this data: [1, 2, 3, 4, 5]')
 */
export class Swarm<Output = undefined> extends AgentBase<Output> {
  /** The store of conversations. */
  readonly sessions: SessionStore
  readonly #options: SwarmOptions<Output>
  readonly #store: SessionStore
  readonly #memory: AgentMemory | undefined
  #agents: readonly Member[]
  #compiled: { of: readonly AgentSpec[]; spec: AgentSpec } | undefined

  /**
   * @throws AgentKitError `invalid-argument` for an option that does not exist or cannot be used, with the fix
   * @throws AgentKitError `invalid-config` for a budget in US dollars with a model whose price is not known
   */
  constructor(options: SwarmOptions<Output>) {
    const id = agentIdFrom(options?.name, options?.id)
    checkSwarmOptions(options)
    super(id, options)
    const { agents, functions = [] } = options
    this.#options = { ...options, functions }
    this.#store = options.sessions ?? memorySessions()
    this.sessions = withMemberSessions(this.#store, id, () => memberPathsOf(this))
    this.#memory = options.memory?.({ agentId: id, sessions: this.#store })
    this.#agents = this.#checked(agents)
    // Reports invalid options now, not at the first run.
    if (agents.length > 0) this.toSpec()
    useLists(this, functions)
  }

  /** The members. */
  get agents(): readonly Member[] {
    return this.#agents
  }

  override get members(): readonly AgentInfo[] {
    return this.#agents.map(({ id, name, description }) => ({ id, name, description }))
  }

  /** The last member of a sequence, unless a hook or a schema may change its answer. */
  get speaker(): string | undefined {
    const { collaboration, hooks = {}, output } = this.#options
    const isChecked = hooks.output !== undefined || hooks.afterModel !== undefined || output !== undefined
    return collaboration === 'sequence' && !isChecked ? this.#agents.at(-1)?.id : undefined
  }

  /** @internal */
  protected override ownTools(): Iterable<Tool> {
    return toTools([...(this.#options.functions ?? []), ...(this.#memory?.tools ?? [])]).values()
  }

  /** @internal */
  protected override ownMemory(): AgentMemory | undefined {
    return this.#memory
  }

  /** The models of the swarm and its members. */
  override get models(): readonly Model[] {
    return [...new Set([...super.models, ...this.#agents.flatMap((agent) => agent.models)])]
  }

  /**
   * Adds a member for later runs.
   * @throws AgentKitError `invalid-argument` when it has the id of another one, or contains this swarm; `invalid-config`
   *   where users have files of their own, and what it knows cannot be separated
   */
  addAgent(agent: Member): void {
    const agents = this.#checked([...this.#agents, agent])
    separateAsIn(this, agent)
    this.#agents = agents
    this.#compiled = undefined
  }

  /**
   * Removes a member for later runs. Current runs keep their members.
   * @throws AgentKitError `not-found` when no member has this id
   */
  removeAgent(agent: string | Member): void {
    const id = typeof agent === 'string' ? agent : agent?.id
    const rest = this.#agents.filter((member) => member.id !== id)
    if (rest.length === this.#agents.length) throw notMember(id, this.#agents)
    this.#agents = rest
    this.#compiled = undefined
  }

  /** @internal */
  override toSpec(): AgentSpec {
    const members = this.#agents.map((agent) => agent.toSpec())
    // A member that is a swarm may have changed.
    if (this.#compiled?.of.every((member, index) => member === members[index])) return this.#compiled.spec
    this.#compiled = { of: members, spec: this.#compile(members) }
    return this.#compiled.spec
  }

  #compile(members: readonly AgentSpec[]): AgentSpec {
    const { model, collaboration = 'manager', history, functions = [], ...given } = this.#options
    const [first] = members
    if (!first) throw invalidArgument(`The swarm "${this.name}" has no agents. Add one by swarm.addAgent(agent).`)
    const { tools, spec } = collaborate(collaboration)(members, history)
    // A swarm without a model uses its first member's, for summaries only.
    const chain = model === undefined && !needsModel(collaboration) ? first.chain : modelChain(checkModels(model ?? []))
    const memory = needsModel(collaboration) ? this.#memory : undefined
    const all = toTools([...functions, ...tools, ...(memory?.tools ?? [])])
    const bounds = collaboration === 'handoff' ? { ...given, maxSteps: given.maxSteps ?? limits.handoffs } : given
    const own = agentSpec(bounds, { id: this.id, chain, sessions: this.#store, tools: all, memory })
    return {
      ...own,
      // Where the swarm's own model takes steps.
      ...(needsModel(collaboration) && { tools: withHostTools(own.tools, (run) => this.hostTools(run)) }),
      ...spec,
      sharedMemory: collaboration === 'handoff' ? this.#memory : undefined,
      storedVersion: agentVersion(given, all, members),
      members,
      hasClientTools: own.hasClientTools || members.some(({ hasClientTools }) => hasClientTools),
      ineffectiveOptions: [
        ...unusedOptions(this.#options),
        ...(collaboration === 'handoff' ? unusedByHandoff(members, own.outputFormat !== undefined) : []),
      ],
      takes: (message) => this.checkMessage(message),
    }
  }

  #checked(agents: readonly Member[]): readonly Member[] {
    const names = new Map<string, string>()
    for (const agent of agents) {
      if (typeof agent?.toSpec !== 'function')
        throw invalidArgument('`agents` is a list of agents and swarms; a workflow is one by `asAgent()`.')
      const name = memberToolName(agent.id)
      const other = names.get(name)
      if (other !== undefined) {
        throw invalidArgument(
          `Two agents of the swarm have the ids "${agent.id}" and "${other}". Give one of them another \`id\`.`,
        )
      }
      names.set(name, agent.id)
      if (contains(agent, this)) throw invalidArgument(`The swarm "${this.name}" cannot be a member of itself.`)
    }
    return [...agents]
  }
}

function collaborate(collaboration: Collaboration): Collaborate {
  if (typeof collaboration === 'function') return routed(collaboration)
  return { manager, handoff, parallel, sequence }[collaboration]
}

/** Whether a member is this swarm, or contains it. */
function contains(member: Member, swarm: Member): boolean {
  return member === swarm || membersOf(member).some((inner) => contains(inner, swarm))
}

/** The members of a swarm, and the agents of a workflow. */
function membersOf(member: Member): readonly Member[] {
  // Swarms and workflows have `agents`; an agent has none.
  return 'agents' in member ? (member.agents as readonly Member[]) : []
}

/** The paths of all members, nested ones included. */
export function memberPathsOf(swarm: Member, outer = ''): string[] {
  const path = `${outer}${swarm.id}`
  const inner = membersOf(swarm).flatMap((member) => memberPathsOf(member, `${path}/`))
  return outer === '' ? inner : [path, ...inner]
}

function notMember(id: string, agents: readonly Member[]): Error {
  const known = agents.map((agent) => `"${agent.id}"`).join(', ')
  return new AgentKitError('not-found', `No agent "${id}" is in the swarm. There are: ${known}.`)
}
