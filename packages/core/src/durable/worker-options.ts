import type { RunNotice } from '../contracts/background-runs.ts'
import type { AgentSpec } from '../loop/types.ts'
import type { WorkOptions } from '../runs/background.ts'
import type { AgentRun, RunOptions } from '../runs/run.ts'
import type { Admit } from './run-job.ts'

/** An agent whose background runs a worker begins and continues. */
export type WorkingAgent = {
  readonly id: string
  continueRun(runId: string, options?: Pick<RunOptions, 'signal'>): AgentRun<unknown>
  toSpec(): AgentSpec
}

export type WorkerOptions = WorkOptions & {
  /** Called with each notice of a run that has ended or waits. When it throws, it is called again, after growing waits. */
  deliver?(notice: RunNotice): Promise<void>
  /** Called before a queued run begins. When it throws, the run fails with that error. */
  admit?: Admit
  /** Called with what a store or a queue throws; it is tried again. */
  onError?(error: unknown): void
}
