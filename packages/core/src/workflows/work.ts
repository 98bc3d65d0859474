import type { AgentBase } from '../agents/agent-base.ts'
import type { InputPart } from '../data/message.ts'
import type { WorkflowAgent } from './workflow-agent.ts'

/** A workflow as a step. As a property, `run` is held to what it takes. */
type Flowing<Value, Output> = {
  readonly workflowAgent: WorkflowAgent<unknown>
  readonly run: (input: Value) => Promise<Output>
}

/** What a function step is told of the run. */
export type StepContext<Input = unknown> = {
  /** What the workflow was given. */
  readonly input: Input
  /** Aborts when the run ends early, or a step beside this one fails. */
  readonly signal: AbortSignal
  readonly userId: string
  readonly sessionId?: string
  readonly runId: string
}

/** What a step may be: a function of what the step before has made, a workflow that takes it, or an agent or swarm. */
export type Work<Value, Input = unknown> =
  | ((value: Value, context: StepContext<Input>) => unknown)
  | Flowing<Value, unknown>
  | Answerer<Value>

/** What an agent can be asked with as it is: text, parts, or what JSON can say. */
type Askable = string | number | boolean | object | null

/** An agent or a swarm; where the value may be nothing, it takes `ask` to make a question of it. */
type Answerer<Value> = [Value] extends [Askable] ? AgentBase<unknown> : never

/** What a step makes: of an agent its answer, which has a type where the agent has an `output`. */
export type OutputOf<Step> =
  Step extends Flowing<never, infer Output>
    ? Output
    : Step extends AgentBase<infer Answer>
      ? AnswerOf<Answer>
      : Step extends (...parameters: never) => infer Result
        ? Awaited<Result>
        : never

export type AnswerOf<Answer> = [Answer] extends [undefined] ? string : Answer

/** Of each step of a list or a record what it makes. */
export type OutputsOf<Steps> = { -readonly [Key in keyof Steps]: OutputOf<Steps[Key]> }

/** What a branch is taken by; a type guard says what each of its steps takes. */
export type Condition<Value, Input = unknown> =
  | ((value: Value, context: StepContext<Input>) => boolean | Promise<boolean>)
  | NotInferredYet

/** What TypeScript takes a condition for before it has looked at its function: nothing is refused so early. */
type NotInferredYet = { readonly workflowAgent: 'not inferred yet' }

type Guard<Value, Narrow extends Value> = (value: Value, context: never) => value is Narrow

/** A value for which the condition holds. */
export type Passed<When, Value> = [NotInferredYet] extends [When]
  ? never
  : When extends Guard<Value, infer Narrow>
    ? Narrow
    : Value

/** A value for which it does not. */
export type Failed<When, Value> = [NotInferredYet] extends [When]
  ? never
  : When extends Guard<Value, infer Narrow>
    ? Exclude<Value, Narrow>
    : Value

/** What may be done again and again: it gives back what it takes. */
export type LoopWork<Value, Input = unknown> =
  | ((value: Value, context: StepContext<Input>) => Value | Promise<Value>)
  | Flowing<Value, Value>
  | (string extends Value ? AgentBase<undefined> : never)
  | AgentBase<Value>

export type LoopOptions<Value> = {
  /** Reaching it ends the loop, with a warning where a condition would have it go on. */
  maxIterations: number
  /** Asked before each iteration, with the number of those that are done. */
  while?: (value: Value, iteration: number) => boolean | Promise<boolean>
  /** Asked after each iteration, with the number of those that are done. */
  until?: (value: Value, iteration: number) => boolean | Promise<boolean>
}

export type AskOptions<Value, Input = unknown> = {
  /** What agents are asked; default the value itself, as JSON where it is no text. */
  ask: (value: Value, context: StepContext<Input>) => string | InputPart[] | Promise<string | InputPart[]>
}
