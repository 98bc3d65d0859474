import type { AgentBase } from '../agents/agent-base.ts'
import { AgentKitError, invalidArgument } from '../data/errors.ts'
import type { AgentRun, RunOptions } from '../runs/run.ts'
import { memorySessions } from '../sessions/memory-sessions.ts'
import { checkOptionNames } from '../util/option-names.ts'
import { either, branch as toBranch } from './branch.ts'
import { loop as toLoop } from './loop.ts'
import { parallel as toParallel } from './parallel.ts'
import type { Step } from './step.ts'
import { isWork, labelOf, toStep } from './to-step.ts'
import type {
  AnswerOf,
  AskOptions,
  Condition,
  Failed,
  LoopOptions,
  LoopWork,
  OutputOf,
  OutputsOf,
  Passed,
  StepContext,
  Work,
} from './work.ts'
import { WorkflowAgent, type WorkflowOptions, workflowOptionNames } from './workflow-agent.ts'

/**
 * Begins a workflow: steps of agents, swarms, plain functions and other workflows, one after the other, at once, by a
 * choice or in a bounded loop. What each step takes is what the one before has made, and its types are checked.
 *
 * @typeParam Input what the workflow is given; text, where nothing is said
 * @throws AgentKitError `invalid-argument` for a name, an id or a number that cannot be used, with the fix
 * @throws AgentKitError `invalid-config` for an option that does not exist
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
  checkOptionNames(options, workflowOptionNames, { code: 'invalid-config' })
  // All that is made of it keeps its conversations in one place.
  return new Workflow({ ...options, sessions: options.sessions ?? memorySessions() }, [])
}

const loopOptionNames = { maxIterations: true, while: true, until: true } satisfies Record<
  keyof LoopOptions<never>,
  true
>

/** Steps that can be run. Each method gives a new workflow, and leaves this one as it is. */
export class Workflow<Input, Output> {
  readonly id: string
  readonly name: string
  readonly description: string | undefined
  /** By which other workflows run it. @internal */
  readonly workflowAgent: WorkflowAgent<unknown>
  readonly #options: WorkflowOptions
  readonly #steps: readonly Step[]

  /** @internal */
  constructor(options: WorkflowOptions, steps: readonly Step[]) {
    const agent = new WorkflowAgent<unknown>(options, steps)
    this.id = agent.id
    this.name = agent.name
    this.description = agent.description
    this.workflowAgent = agent
    this.#options = options
    this.#steps = steps
  }

  /**
   * Adds a step: a function, an agent, a swarm or a workflow. Agents are asked with text as it is, and with all else as
   * JSON, unless `ask` says more. They answer with text, or with the `output` that they have.
   *
   * @param name what errors call it; default the function's or the agent's own name
   * @throws AgentKitError `invalid-argument` for what is no step
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
    return this.#with(toStep(work, label, options as Partial<AskOptions<unknown>> | undefined))
  }

  /**
   * Adds steps that run at once, at most 8 at a time, on the same value. A list gives a list of what they make, a
   * record a record. Where one fails, the others are stopped and the workflow fails by its error.
   *
   * @example
   * workflow().parallel([optimist, pessimist]).step(([pro, contra]) => `${pro}\n\nBut: ${contra}`)
   */
  parallel<const Steps extends readonly Work<Output, Input>[] | Readonly<Record<string, Work<Output, Input>>>>(
    works: Steps,
    options?: AskOptions<Output, Input>,
  ): Workflow<Input, OutputsOf<Steps>> {
    const toSteps = typeof works === 'object' && works !== null ? Object.entries<unknown>({ ...works }) : []
    if (toSteps.length === 0 || isWork(works)) throw invalidArgument('`parallel` takes a list or a record of steps.')
    const given = options as AskOptions<unknown> | undefined
    const isList = Array.isArray(works)
    const steps = toSteps.map(([key, work]) => {
      return [key, toStep(work, isList ? labelOf(work, `${this.#place()}.${key}`) : key, given)] as const
    })
    return this.#with(toParallel(isList ? steps.map(([, step]) => step) : Object.fromEntries(steps)))
  }

  /**
   * Adds a choice: one of two steps by a condition, or one of several by its key. Without a second step, a value for
   * which the condition does not hold stays as it is.
   *
   * @example
   * workflow().branch((text) => text.length > 5000, shortener)
   * workflow().step(classifier).branch(({ kind }) => kind, { refund: refunds, question: support })
   */
  branch<
    When extends Condition<Output, Input>,
    Then extends Work<Passed<When, Output>, Input>,
    Else extends Work<Failed<When, Output>, Input>,
  >(when: When, then: Then, otherwise: Else): Workflow<Input, OutputOf<Then> | OutputOf<Else>>
  branch<When extends Condition<Output, Input>, Then extends Work<Passed<When, Output>, Input>>(
    when: When,
    then: Then,
  ): Workflow<Input, OutputOf<Then> | Failed<When, Output>>
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
    if (typeof choose !== 'function') throw invalidArgument('`branch` takes a function that chooses, and steps.')
    const place = this.#place()
    // What is chosen by is given what the step before has made.
    const by = choose as (value: unknown, context: StepContext) => unknown
    if (isWork(then)) {
      const other = otherwise === undefined ? undefined : toStep(otherwise, labelOf(otherwise, place))
      return this.#with(either(by, toStep(then, labelOf(then, place)), other, place))
    }
    const routes = Object.entries(typeof then === 'object' && then !== null ? then : {})
    if (routes.length === 0) throw invalidArgument('`branch` takes a step, or a record of steps.')
    return this.#with(toBranch(by, new Map(routes.map(([key, work]) => [key, toStep(work, key)])), place))
  }

  /**
   * Adds a step that is done again and again, each time on what it made before: until a condition holds, while one
   * does, or as often as `maxIterations` says, which ends it in any case.
   *
   * @throws AgentKitError `invalid-argument` for a bound that is no whole number, or less than 1
   * @example
   * workflow().step(writer).loop(editor, { until: (text) => text.length < 2000, maxIterations: 3 })
   */
  loop<Body extends LoopWork<Output, Input>>(work: Body, options: LoopOptions<Output>): Workflow<Input, Output> {
    checkOptionNames(options ?? {}, loopOptionNames, { code: 'invalid-argument' })
    const { maxIterations, while: goesOn, until } = options ?? {}
    if (!Number.isInteger(maxIterations) || maxIterations < 1) {
      throw invalidArgument('A loop needs a bound: `maxIterations`, a whole number of 1 or more.')
    }
    for (const [name, condition] of Object.entries({ while: goesOn, until })) {
      if (condition !== undefined && typeof condition !== 'function')
        throw invalidArgument(`\`${name}\` is a function.`)
    }
    const label = labelOf(work, this.#place())
    return this.#with(toLoop(toStep(work, label), options as LoopOptions<unknown>, label))
  }

  /**
   * Runs it.
   *
   * @param options whose session, a signal, a deadline in milliseconds, a budget for the whole tree
   * @returns what the last step makes
   * @throws AgentKitError that of the step that failed, or `budget`, `timeout` or `aborted`
   */
  async run(input: Input, options: RunOptions = {}): Promise<Output> {
    const { finishReason, output, error, warnings, runId, usage } = await this.#start(input, options, false).result
    if (finishReason === 'stop') return output
    // Of its own accord it is ended by its budget alone; why is the last that it was warned of.
    throw error ?? new AgentKitError('budget', warnings.at(-1) ?? 'The budget is used up.', { runId, usage })
  }

  /** The same as a run: iterate its events, await its `result`, or both. It starts when one of them is asked for. */
  stream(input: Input, options: RunOptions = {}): AgentRun<Output> {
    return this.#start(input, options, true)
  }

  /** It as an agent: to be chatted with, served, or a member of a swarm. For a workflow that takes text. */
  asAgent(this: Workflow<string, Output>): AgentBase<Output> {
    return this.workflowAgent as AgentBase<Output>
  }

  #start(input: Input, options: RunOptions, keepEvents: boolean): AgentRun<Output> {
    // The last step gives the type.
    return this.workflowAgent.start(input, options, keepEvents) as AgentRun<Output>
  }

  #with<Next>(step: Step): Workflow<Input, Next> {
    return new Workflow<Input, Next>(this.#options, [...this.#steps, step])
  }

  #place(): string {
    return `step ${this.#steps.length + 1}`
  }
}
