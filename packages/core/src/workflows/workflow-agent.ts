import { AgentBase } from '../agents/agent-base.ts'
import { agentIdFrom } from '../agents/agent-id.ts'
import type { AgentOptions } from '../agents/agent-options.ts'
import { agentRules } from '../agents/agent-options.ts'
import { agentSpec } from '../agents/agent-spec.ts'
import type { Model } from '../contracts/model.ts'
import type { SessionStore } from '../contracts/session-store.ts'
import { AgentKitError } from '../data/errors.ts'
import { textOfInput } from '../data/transcript.ts'
import type { AgentSpec, Planned, Run } from '../loop/run/types.ts'
import { modelChain } from '../policies/fallback.ts'
import type { AgentInfo, AgentRun, RunOptions } from '../runs/driver/run.ts'
import { memorySessions } from '../sessions/memory-sessions.ts'
import { withMemberSessions } from '../swarm/member-sessions.ts'
import { memberPathsOf } from '../swarm/swarm.ts'
import type { OptionRules } from '../util/options/check-options.ts'
import { valueText } from './message-for.ts'
import type { WorkflowStep } from './step.ts'

/** The name of a workflow, and the limits of its runs. */
export type WorkflowOptions = Pick<
  AgentOptions,
  'id' | 'description' | 'samplePrompts' | 'budget' | 'onBusy' | 'timeoutMs' | 'approvalDays' | 'sessions'
> & {
  /** Default `"Workflow"`. */
  name?: string
}

const { name, id, description, samplePrompts, budget, onBusy, timeoutMs, approvalDays, sessions } = agentRules
export const workflowRules: OptionRules<WorkflowOptions> = {
  name,
  id,
  description,
  samplePrompts,
  budget,
  onBusy,
  timeoutMs,
  approvalDays,
  sessions,
}

/** A workflow as an agent: its plan runs all steps of the workflow and returns the answer, and calls no model. */
export class WorkflowAgent<Output> extends AgentBase<Output> {
  readonly sessions: SessionStore
  /** The agents, swarms and workflows in it. */
  readonly agents: readonly AgentBase<unknown>[]
  readonly #steps: readonly WorkflowStep[]
  readonly #spec: AgentSpec

  constructor({ name = 'Workflow', ...options }: WorkflowOptions, steps: readonly WorkflowStep[]) {
    super(agentIdFrom(name, options.id), { ...options, name })
    const store = options.sessions ?? memorySessions()
    this.agents = [...new Set(steps.flatMap(({ agents }) => agents))]
    this.sessions = withMemberSessions(store, this.id, () => memberPathsOf(this))
    this.#steps = steps
    const parts = { id: this.id, chain: modelChain([noModel]), sessions: store, tools: new Map(), memory: undefined }
    this.#spec = {
      ...agentSpec({ ...options, name }, parts),
      plan: (run) => this.#runSteps(run, textOfInput(run.state)),
      // The results of its steps are values of functions.
      cannotContinue: true,
    }
  }

  override get members(): readonly AgentInfo[] {
    return this.agents.map(({ id, name, description }) => ({ id, name, description }))
  }

  /** The workflow itself: it composes the answer, and the texts of its agents are values between its steps. */
  get speaker(): string {
    return this.id
  }

  /** The models of the agents in it. */
  override get models(): readonly Model[] {
    return [...new Set(this.agents.flatMap((agent) => agent.models))]
  }

  /** Its input is the text of the message. @internal */
  override toSpec(): AgentSpec {
    return this.#spec
  }

  /** Its input is any value. */
  specFor(value: unknown): AgentSpec {
    return { ...this.#spec, plan: (run) => this.#runSteps(run, value) }
  }

  /** A run with any value as input. */
  start(value: unknown, options: RunOptions, keepEvents: boolean): AgentRun<Output> {
    const message = { v: 1, role: 'user', content: valueText(value) } as const
    return this.createRun(message, options, { keepEvents }, this.specFor(value))
  }

  async #runSteps(run: Run, input: unknown): Promise<Planned> {
    const { signal } = run.scope
    let calls = 0
    const flow = { run, input, signal, nextCall: () => `step-${++calls}` }
    let value = input
    for (const step of this.#steps) value = await step.run(value, flow)
    return { answer: valueText(value), output: value }
  }
}

/** Every agent has a model. A workflow never calls its own, which costs nothing. */
const noModel: Model = {
  id: 'workflow/none',
  info: { price: { inputUsdPerMillion: 0, outputUsdPerMillion: 0, asOf: '2026-01-01' } },
  stream() {
    throw new AgentKitError('unsupported', 'A workflow calls no model of its own.')
  },
}
