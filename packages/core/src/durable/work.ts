import type { RunNotice } from '../contracts/background-runs.ts'
import { AgentKitError } from '../data/errors.ts'
import type { AgentSpec } from '../loop/types.ts'
import type { Worker, WorkOptions } from '../runs/background.ts'
import type { RecoverableAgent } from './recover-runs.ts'

/** An agent whose background runs a worker begins and continues. */
export type WorkingAgent = RecoverableAgent & { toSpec(): AgentSpec }

export type WorkerOptions = WorkOptions & {
  /** Called with each notice of a run that has ended or waits. When it throws, it is called again, after growing waits. */
  deliver?(notice: RunNotice): Promise<void>
  /** Called with what a store or a queue throws; it is tried again. */
  onError?(error: unknown): void
}

/** Begins and continues the background runs of these agents in this process. */
export async function workOn(agents: readonly WorkingAgent[], _options: WorkerOptions = {}): Promise<Worker> {
  throw new AgentKitError('unsupported', `Workers of ${agents.length} agents are not built yet.`)
}
