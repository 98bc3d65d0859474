import { setTimeout as sleep } from 'node:timers/promises'
import { isAgentKitError } from '../../data/errors.ts'
import type { AgentEvent } from '../../data/event.ts'
import type { AgentRun, RunOptions, RunResult } from '../../runs/driver/run.ts'
import type { Random } from '../random.ts'
import { currentWitness, type Witness } from './witness.ts'

/** An active run. */
export type StartedRun = {
  /** The result; `undefined` when the run hangs. */
  readonly settled: Promise<AnyRun | undefined>
  /** Aborts its signal. */
  abort(): void
}

export type AnyRun = {
  runId: string
  result: RunResult<unknown>
  /** The events that were read. */
  events: readonly AgentEvent[]
  /** Whether all events were read. */
  isWhole: boolean
  witness: Witness
}

/** Longer than anything here takes: a run that is not over by then hangs. */
const longestMs = 60_000

/**
 * Starts a run and reads it in a random way: to the end, slowly, not at all, or until it is aborted, cancelled or
 * abandoned at some event or moment. Its approvals are granted, denied, or left to others.
 */
export function startAnyRun(
  random: Random,
  witness: Witness,
  start: (options: RunOptions) => AgentRun<unknown>,
): StartedRun {
  const controller = new AbortController()
  const abort = (): void => controller.abort()
  const run = start({
    signal: controller.signal,
    onApproval: random.pick(['wait', 'wait', 'end']),
    ...(random.oneIn(6) && { timeoutMs: 1 + random.below(30) }),
  })
  const timer = random.oneIn(6) ? setTimeout(abort, random.below(25)) : undefined
  const settled = currentWitness.run(witness, async () => {
    const { events, isWhole } = random.oneIn(4)
      ? { events: [], isWhole: false }
      : await read(run, abort, witness, random)
    const result = await run.result
    witness.settles()
    return { runId: run.runId, result, events, isWhole, witness }
  })
  const given = new AbortController()
  const hangs = sleep(longestMs, undefined, { signal: given.signal }).catch(() => undefined)
  const stop = (): void => {
    clearTimeout(timer)
    given.abort()
  }
  return { settled: Promise.race([settled, hangs]).finally(stop), abort }
}

async function read(
  run: AgentRun<unknown>,
  abort: () => void,
  witness: Witness,
  random: Random,
): Promise<Pick<AnyRun, 'events' | 'isWhole'>> {
  const events: AgentEvent[] = []
  const stopAt = random.oneIn(3) ? random.below(30) : Number.POSITIVE_INFINITY
  const stop = random.pick<Stop>(['abort', 'cancel', 'leave'])
  const onRequest = random.pick<Stop | 'decide' | 'decide late'>(['decide', 'decide', 'decide late', 'leave', 'cancel'])
  const isSlow = random.oneIn(6)
  for await (const event of run) {
    events.push(event)
    if (isSlow) await sleep(1)
    let how = event.seq === stopAt ? stop : undefined
    if (event.type === 'approval-request') {
      if (onRequest === 'decide late') await sleep(3)
      if (onRequest === 'decide' || onRequest === 'decide late') decide(run, event, witness, random)
      else how ??= onRequest
    }
    if (how === 'leave') return { events, isWhole: false }
    if (how === 'cancel') run.cancel()
    if (how === 'abort') abort()
  }
  return { events, isWhole: true }
}

type Stop = 'abort' | 'cancel' | 'leave'
type ApprovalRequest = Extract<AgentEvent, { type: 'approval-request' }>

function decide(
  run: AgentRun<unknown>,
  { approvalId, callId }: ApprovalRequest,
  witness: Witness,
  random: Random,
): void {
  const isApproved = !random.oneIn(3)
  if (isApproved) witness.approves(callId)
  try {
    if (isApproved) run.approve(approvalId)
    else run.deny(approvalId, 'Too dear.')
  } catch (error) {
    // It was stopped meanwhile.
    if (!isAgentKitError(error) || error.code !== 'not-found') throw error
  }
}
