import type { AgentBase } from '../agents/agent-base.ts'
import type { InputPart } from '../data/message.ts'
import type { StepContext } from './step.ts'
import type { WorkflowAgent } from './workflow-agent.ts'

/** A workflow as a step. `run` is a property, not a method, so that TypeScript checks its input strictly. */
type WorkflowLike<Value, Output> = {
  readonly workflowAgent: WorkflowAgent<unknown>
  readonly run: (input: Value) => Promise<Output>
}

/** A step: a function of the previous step's value, a workflow that accepts it, or an agent or swarm. */
export type Work<Value, Input = unknown> =
  | ((value: Value, context: StepContext<Input>) => unknown)
  | WorkflowLike<Value, unknown>
  | AgentFor<Value>

/** What an agent accepts without `ask`: text, parts, or JSON. */
type AgentInput = string | number | boolean | object | null

/** An agent or a swarm. A value that may be `undefined` needs `ask`, which builds a question from it. */
type AgentFor<Value> = [Value] extends [AgentInput] ? AgentBase<unknown> : never

/** The value that a step returns. An agent returns its answer, which has the type of its `output`. */
export type OutputOf<Step> =
  Step extends WorkflowLike<never, infer Output>
    ? Output
    : Step extends AgentBase<infer Answer>
      ? AnswerOf<Answer>
      : Step extends (...parameters: never) => infer Result
        ? Awaited<Result>
        : never

export type AnswerOf<Answer> = [Answer] extends [undefined] ? string : Answer

/** A branch's condition. A type guard narrows the values of the two steps. */
export type Condition<Value, Input = unknown> =
  | ((value: Value, context: StepContext<Input>) => boolean | Promise<boolean>)
  | NotInferred

/** The type of a condition before TypeScript has inferred its function: it must accept everything. */
type NotInferred = { readonly workflowAgent: 'not inferred yet' }

type Guard<Value, Narrow extends Value> = (value: Value, context: never) => value is Narrow

/** The value's type where the condition is true. */
export type WhenTrue<When, Value> = [NotInferred] extends [When]
  ? never
  : When extends Guard<Value, infer Narrow>
    ? Narrow
    : Value

/** The value's type where the condition is false. */
export type WhenFalse<When, Value> = [NotInferred] extends [When]
  ? never
  : When extends Guard<Value, infer Narrow>
    ? Exclude<Value, Narrow>
    : Value

/** The body of a loop: it returns a value of the type that it accepts. */
export type LoopWork<Value, Input = unknown> =
  | ((value: Value, context: StepContext<Input>) => Value | Promise<Value>)
  | WorkflowLike<Value, Value>
  | (string extends Value ? AgentBase<undefined> : never)
  | AgentBase<Value>

/** When a loop ends. */
export type LoopOptions<Value> = {
  /** The most iterations. A loop with a condition that reaches this bound adds a warning to the run. */
  maxIterations: number
  /** Called before each iteration, with the number of completed ones. `false` ends the loop. */
  while?: (value: Value, iteration: number) => boolean | Promise<boolean>
  /** Called after each iteration, with the number of completed ones. `true` ends the loop. */
  until?: (value: Value, iteration: number) => boolean | Promise<boolean>
}

/** How a step asks its agent. */
export type AskOptions<Value, Input = unknown> = {
  /** Builds the agent's question. Default: the value itself, as JSON unless it is text. */
  ask: (value: Value, context: StepContext<Input>) => string | InputPart[] | Promise<string | InputPart[]>
}
