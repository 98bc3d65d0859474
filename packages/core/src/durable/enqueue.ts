import type { QueueBounds } from '../contracts/background-runs.ts'
import { AgentKitError } from '../data/errors.ts'
import type { UserMessage } from '../data/message.ts'
import type { AgentSpec } from '../loop/types.ts'
import type { EnqueueItem } from '../runs/background.ts'

/** The agent whose runs are stored. */
export type Enqueuer = {
  spec: AgentSpec
  /** Called before runs are stored. */
  begin(): void
  /** @throws AgentKitError for a message that the agent does not accept */
  check(message: UserMessage): void
}

/** Stores runs that workers begin. */
export async function enqueueRuns(
  { spec }: Enqueuer,
  _items: readonly EnqueueItem[],
  _bounds?: QueueBounds,
): Promise<{ runId: string }[]> {
  throw new AgentKitError('unsupported', `Background runs of "${spec.id}" are not built yet.`)
}
