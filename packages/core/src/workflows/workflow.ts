import type { AgentBase } from '../agents/agent-base.ts'
import { AgentKitError, invalidArgument } from '../data/errors.ts'
import type { AgentRun, RunOptions } from '../runs/driver/run.ts'
import { memorySessions } from '../sessions/memory-sessions.ts'
import { checkOptions, isCount, isFunction, type OptionRules } from '../util/options/check-options.ts'
import { workflowWords } from '../util/options/foreign-call-words.ts'
import { branchStep, conditionStep, loopStep, parallelStep } from './control-flow.ts'
import type { StepContext, WorkflowStep } from './step.ts'
import { isWork, labelOf, toStep } from './to-step.ts'
import type {
  AnswerOf,
  AskOptions,
  Condition,
  LoopOptions,
  LoopWork,
  OutputOf,
  WhenFalse,
  WhenTrue,
  Work,
} from './work.ts'
import { WorkflowAgent, type WorkflowOptions, workflowRules } from './workflow-agent.ts'

/**
 * Creates a workflow of agents, swarms, functions and other workflows: in sequence, in parallel, in branches and in
 * bounded loops. Each step receives the value of the previous one, and the types are checked.
 *
 * @typeParam Input the workflow's input, by default text
 * @throws AgentKitError `invalid-argument` for an option that does not exist or cannot be used, with the fix
 * @example
 * const report = workflow({ name: 'Report' })
 *   .parallel({ facts: researcher, numbers: analyst })
 *   .step(({ facts, numbers }) => `Write a report.\nFacts: ${facts}\nNumbers: ${numbers}`)
 *   .step(writer)
 *   .loop(editor, { until: (text) => text.length < 2000, maxIterations: 3 })
 * const text = await report.run('Tides in Norway')
 */
export function workflow<Input = string>(options: WorkflowOptions = {}): Workflow<Input, Input> {
  if (typeof options !== 'object' || options === null)
    throw invalidArgument('Pass an object: workflow({ name: "Report" }).')
  checkOptions(options, workflowRules, { words: workflowWords })
  // The workflows that are derived from this one share its sessions.
  return new Workflow({ ...options, sessions: options.sessions ?? memorySessions() }, [])
}

const loopRules = {
  maxIterations: { is: 'a whole number above 0, the bound of the loop', holds: isCount.holds },
  while: isFunction,
  until: isFunction,
} satisfies OptionRules<LoopOptions<never>>

/** Steps that can be run. A workflow is immutable: each method returns a new one. */
export class Workflow<Input, Output> {
  /** The id of the workflow, by which a store knows its runs. */
  readonly id: string
  /** Its name, for people. */
  readonly name: string
  /** What it is for, for models and people. */
  readonly description: string | undefined
  /** Other workflows run this agent. @internal */
  readonly workflowAgent: WorkflowAgent<unknown>
  readonly #options: WorkflowOptions
  readonly #steps: readonly WorkflowStep[]

  /** @internal */
  constructor(options: WorkflowOptions, steps: readonly WorkflowStep[]) {
    const agent = new WorkflowAgent<unknown>(options, steps)
    this.id = agent.id
    this.name = agent.name
    this.description = agent.description
    this.workflowAgent = agent
    this.#options = options
    this.#steps = steps
  }

  /**
   * Adds a step: a function, an agent, a swarm or a workflow. An agent receives text as it is and other values as JSON,
   * unless `ask` builds its question. It returns its text, or its `output` where it has one.
   *
   * @param name for error messages; default the function's or the agent's own name
   * @throws AgentKitError `invalid-argument` for a value that is not a step
   * @example
   * workflow<{ city: string }>()
   *   .step(({ city }, { signal }) => fetchForecast(city, signal))
   *   .step('summary', writer, { ask: (forecast, { input }) => `Sum up for ${input.city}: ${forecast}` })
   */
  step<Answer>(agent: AgentBase<Answer>, options: AskOptions<Output, Input>): Workflow<Input, AnswerOf<Answer>>
  step<Answer>(
    name: string,
    agent: AgentBase<Answer>,
    options: AskOptions<Output, Input>,
  ): Workflow<Input, AnswerOf<Answer>>
  step<Next extends Work<Output, Input>>(name: string, work: Next): Workflow<Input, OutputOf<Next>>
  step<Next extends Work<Output, Input>>(work: Next): Workflow<Input, OutputOf<Next>>
  step(...given: unknown[]): Workflow<Input, never> {
    const [name, work, options] = typeof given[0] === 'string' ? given : [undefined, ...given]
    const label = name === undefined ? labelOf(work, this.#place()) : String(name)
    // The overloads above have its type; `toStep` checks it.
    return this.#with(toStep(work, label, options as Partial<AskOptions<unknown>> | undefined))
  }

  /**
   * Adds steps that run in parallel, at most 8 at a time, on the same value. A list returns a list, a record a record.
   * If one fails, the others are aborted and the workflow fails with its error.
   *
   * @example
   * workflow().parallel([optimist, pessimist]).step(([pro, contra]) => `${pro}\n\nBut: ${contra}`)
   */
  parallel<
    // Not `Work` itself: an agent that is created in the list would take its type, and have an unknown output.
    Each extends Work<Output, Input>,
    const Steps extends readonly Each[] | Readonly<Record<string, Each>>,
  >(
    works: Steps,
    options?: AskOptions<Output, Input>,
    // Written out: declarations of a user's workflow could not name an alias.
  ): Workflow<Input, { -readonly [Key in keyof Steps]: OutputOf<Steps[Key]> }> {
    const toSteps = typeof works === 'object' && works !== null ? Object.entries<unknown>({ ...works }) : []
    if (toSteps.length === 0 || isWork(works)) throw invalidArgument('`parallel` takes a list or a record of steps.')
    const given = options as AskOptions<unknown> | undefined
    const isList = Array.isArray(works)
    const steps = toSteps.map(([key, work]) => {
      return [key, toStep(work, isList ? labelOf(work, `${this.#place()}.${key}`) : key, given)] as const
    })
    return this.#with(parallelStep(isList ? steps.map(([, step]) => step) : Object.fromEntries(steps)))
  }

  /**
   * Adds a branch: one of two steps by a condition, or one of several by its key. Without a second step, the value stays
   * as it is where the condition is false.
   *
   * @example
   * workflow().branch((text) => text.length > 5000, shortener)
   * workflow().step(classifier).branch(({ kind }) => kind, { refund: refunds, question: support })
   */
  branch<
    When extends Condition<Output, Input>,
    Then extends Work<WhenTrue<When, Output>, Input>,
    Else extends Work<WhenFalse<When, Output>, Input>,
  >(when: When, then: Then, otherwise: Else): Workflow<Input, OutputOf<Then> | OutputOf<Else>>
  branch<When extends Condition<Output, Input>, Then extends Work<WhenTrue<When, Output>, Input>>(
    when: When,
    then: Then,
  ): Workflow<Input, OutputOf<Then> | WhenFalse<When, Output>>
  branch<const Routes extends Readonly<Record<string, Work<Output, Input>>>>(
    choose: (
      value: Output,
      context: StepContext<Input>,
    ) => NoInfer<keyof Routes & string> | Promise<NoInfer<keyof Routes & string>>,
    routes: Routes,
  ): Workflow<Input, OutputOf<Routes[keyof Routes]>>
  branch(
    choose: (value: never, context: StepContext<Input>) => unknown,
    then: unknown,
    otherwise?: unknown,
  ): Workflow<Input, never> {
    if (typeof choose !== 'function')
      throw invalidArgument('`branch` takes a function that chooses a step, and the steps.')
    const place = this.#place()
    // It receives the value of the previous step.
    const by = choose as (value: unknown, context: StepContext) => unknown
    if (isWork(then)) {
      const other = otherwise === undefined ? undefined : toStep(otherwise, labelOf(otherwise, place))
      return this.#with(conditionStep(by, toStep(then, labelOf(then, place)), other, place))
    }
    const routes = Object.entries(typeof then === 'object' && then !== null ? then : {})
    if (routes.length === 0) throw invalidArgument('`branch` takes a step, or a record of steps.')
    return this.#with(branchStep(by, new Map(routes.map(([key, work]) => [key, toStep(work, key)])), place))
  }

  /**
   * Adds a step that repeats, each time with the value that it returned before: until a condition is true, while one is
   * true, or `maxIterations` times. `maxIterations` bounds every loop.
   *
   * @throws AgentKitError `invalid-argument` for a bound that is not a whole number of 1 or more
   * @example
   * workflow().step(writer).loop(editor, { until: (text) => text.length < 2000, maxIterations: 3 })
   */
  loop<Body extends LoopWork<Output, Input>>(work: Body, options: LoopOptions<Output>): Workflow<Input, Output> {
    checkOptions(options ?? {}, loopRules)
    if (options?.maxIterations === undefined) {
      throw invalidArgument('A loop needs a bound: `maxIterations`, a whole number of 1 or more.')
    }
    const label = labelOf(work, this.#place())
    // Its conditions receive the value of the previous step.
    return this.#with(loopStep(toStep(work, label), options as LoopOptions<unknown>, label))
  }

  /**
   * Runs the workflow.
   *
   * @param options user, session, signal, deadline in milliseconds, budget of the whole tree
   * @returns the value of the last step
   * @throws AgentKitError of the step that failed, or `budget`, `timeout` or `aborted`
   */
  async run(input: Input, options: RunOptions = {}): Promise<Output> {
    const { finishReason, output, error, warnings, runId, usage } = await this.#start(input, options, false).result
    if (finishReason === 'stop') return output
    // Without an error, only the budget ends a workflow early. The last warning says which bound was reached.
    throw error ?? new AgentKitError('budget', warnings.at(-1) ?? 'The budget is used up.', { runId, usage })
  }

  /** Runs the workflow as a stream: iterate its events, await its `result`, or both. Either one starts the run. */
  stream(input: Input, options: RunOptions = {}): AgentRun<Output> {
    return this.#start(input, options, true)
  }

  /** The workflow as an agent, to chat with, to serve, or as a member of a swarm. Its input must be text. */
  asAgent(this: Workflow<string, Output>): AgentBase<Output> {
    return this.workflowAgent as AgentBase<Output>
  }

  #start(input: Input, options: RunOptions, keepEvents: boolean): AgentRun<Output> {
    // The type is that of the last step.
    return this.workflowAgent.start(input, options, keepEvents) as AgentRun<Output>
  }

  #with<Next>(step: WorkflowStep): Workflow<Input, Next> {
    return new Workflow<Input, Next>(this.#options, [...this.#steps, step])
  }

  #place(): string {
    return `step ${this.#steps.length + 1}`
  }
}
