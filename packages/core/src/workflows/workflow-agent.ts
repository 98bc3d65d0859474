import { AgentBase } from '../agents/agent-base.ts'
import { agentIdFrom } from '../agents/agent-id.ts'
import { type AgentOptions, checkOptions } from '../agents/agent-options.ts'
import { agentSpec } from '../agents/agent-spec.ts'
import type { Model } from '../contracts/model.ts'
import type { SessionStore } from '../contracts/session-store.ts'
import { AgentKitError } from '../data/errors.ts'
import { textOfInput } from '../data/transcript.ts'
import type { AgentSpec, Planned, Run } from '../loop/types.ts'
import { modelChain } from '../policies/fallback.ts'
import type { AgentRun, RunOptions } from '../runs/run.ts'
import { memorySessions } from '../sessions/memory-sessions.ts'
import { withLanes } from '../swarm/lane.ts'
import { lanesOf } from '../swarm/swarm.ts'
import { textOf } from './message-for.ts'
import type { Step } from './step.ts'

export type WorkflowOptions = Pick<
  AgentOptions,
  'id' | 'description' | 'samplePrompts' | 'budget' | 'onBusy' | 'timeoutMs' | 'sessions'
> & {
  /** Default `"Workflow"`. */
  name?: string
}

export const workflowOptionNames: Record<keyof WorkflowOptions, true> = {
  name: true,
  id: true,
  description: true,
  samplePrompts: true,
  budget: true,
  onBusy: true,
  timeoutMs: true,
  sessions: true,
}

/** A workflow as the loop runs it: an agent whose one step is planned, and is all the steps of the workflow. */
export class WorkflowAgent<Output> extends AgentBase<Output> {
  readonly id: string
  readonly name: string
  readonly description: string | undefined
  readonly samplePrompts: readonly string[]
  readonly sessions: SessionStore
  readonly knowledge: undefined
  /** The agents, swarms and workflows in it. */
  readonly agents: readonly AgentBase<unknown>[]
  readonly #steps: readonly Step[]
  readonly #spec: AgentSpec

  constructor({ name = 'Workflow', ...options }: WorkflowOptions, steps: readonly Step[]) {
    super()
    this.id = agentIdFrom(name, options.id)
    const given = checkOptions({ ...options, name, functions: [], model: [] })
    const store = options.sessions ?? memorySessions()
    this.name = name
    this.description = options.description
    this.samplePrompts = [...(options.samplePrompts ?? [])]
    this.agents = [...new Set(steps.flatMap(({ agents }) => agents))]
    this.sessions = withLanes(store, this.id, () => lanesOf(this))
    this.#steps = steps
    const parts = { id: this.id, chain: modelChain([nobody]), sessions: store, tools: new Map() }
    this.#spec = { ...agentSpec(given, parts), plan: (run) => this.#answer(run, textOfInput(run.progress)) }
  }

  /** The models that the agents in it ask. */
  override get models(): readonly Model[] {
    return [...new Set(this.agents.flatMap((agent) => agent.models))]
  }

  /** Given the words of the message that its run answers. @internal */
  override toSpec(): AgentSpec {
    return this.#spec
  }

  /** Given a value of any kind. */
  specFor(value: unknown): AgentSpec {
    return { ...this.#spec, plan: (run) => this.#answer(run, value) }
  }

  /** Runs the workflow with a value of any kind. */
  start(value: unknown, options: RunOptions, keepEvents: boolean): AgentRun<Output> {
    const message = { v: 1, role: 'user', content: textOf(value) } as const
    return this.createRun(message, options, { keepEvents }, this.specFor(value))
  }

  async #answer(run: Run, input: unknown): Promise<Planned> {
    const { signal } = run.scope
    let value = input
    for (const step of this.#steps) value = await step.run(value, { run, input, signal })
    return { answer: textOf(value), output: value }
  }
}

/** The loop wants a model, and a workflow asks none of its own: it costs nothing. */
const nobody: Model = {
  id: 'workflow/none',
  info: { price: { inputUsdPerMillion: 0, outputUsdPerMillion: 0, asOf: '2026-01-01' } },
  stream() {
    throw new AgentKitError('unsupported', 'A workflow asks no model of its own.')
  },
}
