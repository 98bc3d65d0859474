import type { RunNotice } from '../../contracts/background-runs.ts'
import type { AgentSpec } from '../../loop/run/types.ts'
import type { WorkOptions } from '../../runs/driver/background.ts'
import type { AgentRun } from '../../runs/driver/run.ts'
import type { ContinueOptions } from '../stored/continue-stored.ts'
import type { KeptRules } from './keep-retention.ts'
import type { Admit, OnSettled, OnSpent } from './run-job.ts'

/** An agent whose background runs a worker begins and continues. */
export type WorkingAgent = {
  readonly id: string
  continueRun(runId: string, options?: ContinueOptions): AgentRun<unknown>
  toSpec(): AgentSpec
  /** What the package around core adds. @throws AgentKitError `invalid-config`: then no worker starts */
  workerParts?(): WorkerParts
}

/** What concerns the runs of one agent, or its store. */
export type WorkerParts = {
  /** Called with each notice of a run that has ended or waits. When it throws, it is called again, after growing waits. */
  deliver?(notice: RunNotice): Promise<void>
  /** Called before a queued run begins. When it throws, the run fails with that error. */
  admit?: Admit
  onSpent?: OnSpent
  /** What is removed from the store. */
  retention?: KeptRules
}

/** Places that the runs of a worker share with other runs of the process. */
export type WorkerPlaces = {
  /** How many are free now. */
  free(): number
  /** Takes one. @returns releases it; `undefined` when none is free */
  enter(): (() => void) | undefined
  /** Calls `listener` when one becomes free. @returns stops it */
  onFree(listener: () => void): () => void
}

export type WorkerOptions = WorkOptions & {
  places?: WorkerPlaces
  /** Instead of those of the agents. */
  admit?: Admit
  onSpent?: OnSpent
  onSettled?: OnSettled
  /** False where the process removes old data already. */
  keepsRetention?: boolean
  /** Called with what was removed from a store, such as `2 sessions with 3 runs`. */
  onRemoved?(what: string): void
  /** Called with what a store or a queue throws; it is tried again. */
  onError?(error: unknown): void
}
