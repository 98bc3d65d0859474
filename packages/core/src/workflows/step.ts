import { setImmediate as nextEventLoopTurn } from 'node:timers/promises'
import type { AgentBase } from '../agents/agent-base.ts'
import type { Run } from '../loop/run/types.ts'

/** One compiled step. */
export type WorkflowStep = {
  run(value: unknown, flow: Flow): Promise<unknown>
  /** The agents, swarms and workflows in it. */
  agents: readonly AgentBase<unknown>[]
}

/** What the steps of one run of a workflow share. */
export type Flow = {
  run: Run
  /** The workflow's input. */
  input: unknown
  /** Of the run, or of the parallel steps that this one belongs to. */
  signal: AbortSignal
  /** The id of the next run that a step starts: one agent may run in several steps, or in a loop. */
  nextCall(): string
}

/** What a function step receives in addition to its value. */
export type StepContext<Input = unknown> = {
  /** The workflow's input. */
  readonly input: Input
  /** Aborts when the run ends early, or when a parallel step fails. */
  readonly signal: AbortSignal
  /** The user of the run. */
  readonly userId: string
  /** The session of the run; absent for a run without one. */
  readonly sessionId?: string
  /** The id of the run. */
  readonly runId: string
}

/** Called before each step. It yields to the event loop: otherwise synchronous functions would starve timers and aborts. */
export async function beginStep({ signal }: Flow): Promise<void> {
  await nextEventLoopTurn()
  signal.throwIfAborted()
}

export function contextOf({ run, input, signal }: Flow): StepContext {
  return { ...run.hookContext, input, signal }
}
