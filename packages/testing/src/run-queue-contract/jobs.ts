import type { QueuedJob, RunQueue, TakenJob } from '@agentkit/core'
import { vi } from 'vitest'

/** Queues of one database, each as a process of its own would open it. */
export type QueueUnderTest = {
  queue: RunQueue
  open(): Promise<RunQueue>
  /** Lets time pass: by the clock of the database if it can be moved, else by waiting for the expected result. */
  pass(ms: number): Promise<void>
  /** The time of the database. */
  now(): number
}

/** The queues of the current test. */
export type GetQueue = () => QueueUnderTest

const all = { agentIds: ['helper'], limit: 1_000 }
/** Longer than any queue takes to deliver a job, so that only a fault ends it. */
const patience = { timeout: 60_000, interval: 20 }

export function job(runId: string, options: Partial<QueuedJob> = {}): QueuedJob {
  return { runId, agentId: 'helper', userId: 'ann', ...options }
}

export function jobs(count: number, prefix: string, options: Partial<QueuedJob> = {}): QueuedJob[] {
  return Array.from({ length: count }, (_, index) => job(`${prefix}${index}`, options))
}

/** Takes jobs until it has `count` of them. */
export async function take(
  queue: RunQueue,
  count: number,
  request: Partial<Parameters<RunQueue['take']>[0]> = {},
): Promise<TakenJob[]> {
  const taken: TakenJob[] = []
  await vi.waitFor(async () => {
    const limit = Math.min(count - taken.length, request.limit ?? count)
    taken.push(...(await queue.take({ ...all, ...request, limit })))
    if (taken.length < count) throw new Error(`${taken.length} of ${count} jobs were delivered.`)
  }, patience)
  return taken
}

/** The jobs that are there to take now. */
export function takeNow(queue: RunQueue, request: Partial<Parameters<RunQueue['take']>[0]> = {}): Promise<TakenJob[]> {
  return queue.take({ ...all, ...request })
}

export async function settleAll(queue: RunQueue, taken: readonly TakenJob[]): Promise<void> {
  for (const one of taken) await queue.settle(one)
}

export function idsOf(taken: readonly { runId: string }[]): string[] {
  return taken.map(({ runId }) => runId)
}

/** Waits until a condition holds. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  await vi.waitFor(async () => {
    if (!(await holds())) throw new Error('It does not hold yet.')
  }, patience)
}
