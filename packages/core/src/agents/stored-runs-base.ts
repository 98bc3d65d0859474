import type { QueueBounds } from '../contracts/background-runs.ts'
import type { SessionStore } from '../contracts/session-store.ts'
import type { Decisions } from '../data/approval-data.ts'
import type { AgentEvent } from '../data/event.ts'
import type { InputPart } from '../data/message.ts'
import type { RunRecord } from '../data/run-record.ts'
import { itemOf } from '../durable/queue/check-enqueue.ts'
import { type Enqueuer, enqueueRuns } from '../durable/queue/enqueue.ts'
import { listSchedules, removeSchedule, setSchedule } from '../durable/schedules/schedules.ts'
import type { ContinueOptions } from '../durable/stored/continue-stored.ts'
import { followRun } from '../durable/stored/follow-run.ts'
import { resultOf } from '../durable/stored/result-of.ts'
import { retryRun } from '../durable/stored/retry-run.ts'
import { cancelRun, decideRun, listRuns } from '../durable/stored/stored-runs.ts'
import { workOn } from '../durable/worker/work.ts'
import type { WorkerParts } from '../durable/worker/worker-options.ts'
import type { AgentSpec } from '../loop/run/types.ts'
import type {
  EnqueueItem,
  EnqueueOptions,
  FollowOptions,
  ScheduleInfo,
  ScheduleTimes,
  Worker,
  WorkOptions,
} from '../runs/driver/background.ts'
import type { AgentRun, RunFilter, RunResult } from '../runs/driver/run.ts'

/** What an agent does with runs that are stored: those of other processes, and those that workers begin. */
export abstract class StoredRunsBase<Output = undefined> {
  abstract readonly id: string
  abstract readonly sessions: SessionStore
  /** @internal */
  abstract toSpec(): AgentSpec
  /** @internal */
  abstract continueRun(runId: string, options?: ContinueOptions): AgentRun<Output>
  /** @internal */
  protected abstract enqueuer(): Enqueuer
  /** @internal */
  abstract workerParts(): WorkerParts
  /** Called before `work()` starts a worker. @internal */
  protected abstract beforeWork(): Promise<void> | undefined
  /** Delivers notices of runs that this process has ended without having them. @internal */
  protected abstract deliverNotices(): void

  /**
   * Decides on approvals of a stored run, in one commit. Once none is open, the process that serves the agent continues
   * the run. The first decision on an approval wins.
   *
   * @param runId of the run
   * @param decisions by `approvalId`: `true`, `{ deny: "why" }`, or `{ result }` for a call of unknown outcome or of a client tool
   * @param options.userId the run's user; any user when absent
   * @param options.by who decided, for later readers
   * @throws AgentKitError `not-found` for an unknown run or approval, `invalid-argument` for a decision that its kind does
   *   not allow, `session-conflict` for what was decided before, with what and when, and for a run that has ended;
   *   `unsupported` with a store without `runs`
   */
  async decide(runId: string, decisions: Decisions, options: { userId?: string; by?: string } = {}): Promise<void> {
    await decideRun(this.#owner(), runId, decisions, options)
  }

  /**
   * Ends a run that is queued, running or waiting, in whichever process.
   * @param options.userId the run's user; any user when absent
   * @returns false when it had ended
   * @throws AgentKitError `not-found`, `unsupported` with a store without `runs`
   */
  async cancel(runId: string, options: { userId?: string } = {}): Promise<boolean> {
    return cancelRun(this.#owner(), runId, options, () => this.deliverNotices())
  }

  /**
   * The stored runs, newest first, without their answers.
   *
   * @param options `userId` (all users when absent), `sessionId`, `status`, `limit` (50; at most 1,000), and as `after` the
   *   `runId` of the last record of the page before
   * @throws AgentKitError `invalid-argument`; `unsupported` with a store without `runs`
   * @example
   * const inbox = await agent.runs({ status: 'waiting' })
   */
  async runs(options: RunFilter = {}): Promise<RunRecord[]> {
    return listRuns(this.#owner(), options)
  }

  /**
   * Stores a run that a worker begins, of whichever process: `agent.work()`, or `agentkit worker`. Once it resolves, the run
   * will end or wait visibly, whatever happens.
   *
   * @param input text, or parts: text, images, files; at most 1 MB as JSON
   * @param bounds the most queued runs; 100,000 and 10,000 of one user when absent
   * @throws AgentKitError `invalid-argument`, before anything is stored; `invalid-config` or `unsupported` with a store
   *   that keeps no background runs; `overloaded`, retryable, when too many are queued; `session-busy` with
   *   `onBusy: "reject"`
   * @example
   * const { runId } = await agent.enqueue('Write the report', { userId: 'ann', idempotencyKey: 'q3-report' })
   */
  async enqueue(
    input: string | InputPart[],
    options: EnqueueOptions = {},
    bounds?: QueueBounds,
  ): Promise<{ runId: string }> {
    const [run] = await enqueueRuns(this.enqueuer(), [itemOf(input, options)], bounds)
    // One item has one run.
    return run as { runId: string }
  }

  /**
   * Stores many runs as `enqueue` does, in this order: up to 10,000, one commit per 1,000.
   * @throws AgentKitError as `enqueue`; one bad item refuses the call. `details.accepted` is how many runs were stored
   */
  async enqueueMany(items: readonly EnqueueItem[], bounds?: QueueBounds): Promise<{ runId: string }[]> {
    return enqueueRuns(this.enqueuer(), items, bounds)
  }

  /**
   * The events of a stored run from `after` on, then those that it emits, in whichever process: each once, in order. It
   * waits while the run is queued, stays open while it waits for approval, and ends after the final event.
   *
   * @throws AgentKitError `not-found` for an unknown run, one that keeps no events, and events that are gone;
   *   `invalid-argument`; `unsupported` with a store without `runs`
   * @example
   * for await (const event of agent.follow(runId, { after: lastSeen })) show(event)
   */
  follow(runId: string, options: FollowOptions = {}): AsyncIterable<AgentEvent> {
    return followRun(this.#owner(), runId, options)
  }

  /**
   * The result of a stored run, once it is done, failed or waiting, in whichever process.
   * @throws AgentKitError `not-found`, `invalid-argument`; `aborted` by the signal; `unsupported` with a store without `runs`
   */
  async result(runId: string, options: Omit<FollowOptions, 'after'> = {}): Promise<RunResult<Output>> {
    // The schema that returns `output` also defines its type.
    return (await resultOf(this.#owner(), runId, options)) as RunResult<Output>
  }

  /**
   * Queues a failed run again: it continues under its own id from its last finished step. Its deadline and its budget of
   * seconds begin again; what else it has used of its budget stays used.
   * @throws AgentKitError `session-conflict` for a run that has not failed; `not-found`; as `enqueue` for the store
   */
  async retry(runId: string, options: { userId?: string } = {}): Promise<void> {
    await retryRun(this.#owner(), runId, options)
  }

  /**
   * Begins and continues the background runs of this agent in this process, until `close`. Any number of processes may.
   * Its other runs continue here too, once they are decided and no other process continues them.
   *
   * @throws AgentKitError `invalid-argument`; as `enqueue` for the store
   * @example
   * const worker = await agent.work({ concurrency: 10 })
   */
  async work(options: WorkOptions = {}): Promise<Worker> {
    await this.beforeWork()
    return workOn([this], options)
  }

  /**
   * Enqueues a run at each of these times; replaces the schedule of this agent and name. However many workers there are,
   * each time starts one run.
   *
   * @throws AgentKitError `invalid-argument`, naming the field; as `enqueue` for the store
   * @example
   * await agent.schedule('digest', { cron: '0 7 * * 1-5', timeZone: 'Europe/Berlin' }, 'Write the digest', { userId: 'ann' })
   */
  async schedule(
    name: string,
    times: ScheduleTimes,
    input: string | InputPart[],
    options: Omit<EnqueueOptions, 'startAfter' | 'idempotencyKey' | 'replaces'> = {},
  ): Promise<void> {
    await setSchedule(this.enqueuer(), name, times, itemOf(input, options))
  }

  /** Removes a schedule. @returns false when there was none */
  async unschedule(name: string): Promise<boolean> {
    return removeSchedule(this.#owner(), name)
  }

  /** The schedules of this agent, by name. */
  async schedules(): Promise<ScheduleInfo[]> {
    return listSchedules(this.#owner())
  }

  #owner(): Parameters<typeof decideRun>[0] & Parameters<typeof resultOf>[0] {
    const agent = this.toSpec()
    return {
      agentId: this.id,
      store: agent.sessions,
      approvalMs: agent.approvalMs,
      agent,
      outputFormat: agent.outputFormat,
    }
  }
}
