import { setImmediate as nextTurnOfTheLoop } from 'node:timers/promises'
import type { AgentBase } from '../agents/agent-base.ts'
import type { Run } from '../loop/types.ts'
import type { StepContext } from './work.ts'

/** One step, made ready. */
export type Step = {
  run(value: unknown, flow: Flow): Promise<unknown>
  /** The agents, swarms and workflows in it. */
  agents: readonly AgentBase<unknown>[]
}

/** What the steps of one run of a workflow share. */
export type Flow = {
  run: Run
  /** What the workflow was given. */
  input: unknown
  /** Of the run, or of the steps that run at once. */
  signal: AbortSignal
}

/** Before each step: functions that never wait would keep timers, and whoever aborts, from their turn. */
export async function beginStep({ signal }: Flow): Promise<void> {
  await nextTurnOfTheLoop()
  signal.throwIfAborted()
}

export function contextOf({ run, input, signal }: Flow): StepContext {
  const { runId, userId, sessionId } = run.scope
  return { input, signal, userId, runId, ...(sessionId === undefined ? {} : { sessionId }) }
}
