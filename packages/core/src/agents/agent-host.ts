import type { UserMessage } from '../data/message.ts'
import type { WorkerParts } from '../durable/worker/worker-options.ts'
import type { HostTools } from '../tools/host-tools.ts'

/** What a package around core adds to its agents. @internal */
export type AgentHost = {
  /** Tools that are known once a run begins, beside the agent's functions; the same list while they do not change. */
  tools?: HostTools
  /** Called before each run, and by a server before a request. */
  begin?(): void
  /** @throws AgentKitError for a message that the agent does not accept */
  check?(message: UserMessage): void
  /** Whether notices of its runs are kept, for `deliver` of `workerParts`. */
  notifies?: boolean
  /** Called when a worker of the agent starts, and before its first run where it notifies. @throws AgentKitError `invalid-config` */
  workerParts?(): WorkerParts
  /** Called before a worker of the agent starts by its `work()`. */
  work?(agent: object): Promise<void>
  /** Called when the agent is closed. */
  close?(): Promise<void>
}
