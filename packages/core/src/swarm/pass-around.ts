import { abortError, isAgentKitError } from '../data/errors.ts'
import type { RunFinishReason } from '../data/event.ts'
import type { Message } from '../data/message.ts'
import { toolCalls } from '../data/transcript.ts'
import { checkTaken, readyRun, stateOf } from '../loop/open-run.ts'
import type { AgentSpec, Run, RunScope, RunSteps } from '../loop/types.ts'
import { startBudgetClock, startDeadline } from '../policies/deadline.ts'
import { createGuard } from '../policies/guard.ts'
import { createLedger, type Ledger } from '../policies/ledger.ts'
import { type CurrentRun, currentRun } from '../runs/current-run.ts'
import type { Progress } from '../runs/run-state.ts'
import { untilAborted } from '../util/abort.ts'
import { type MemberStatus, memberStatus } from './member-status.ts'
import { isTransfer, withTransfers } from './transfer-tool.ts'

/** Whom a conversation can be handed to. */
export type Handoffs = {
  members: ReadonlyMap<string, AgentSpec>
  /** Who has it first. */
  first: string
}

/**
 * Lets the members of a swarm hand one conversation to each other, until one of them ends it.
 *
 * @param takeSteps runs the one who has the conversation, until it answers or hands on
 * @param outer those outside, whom every member may hand on to as well
 */
export async function passAround(
  opened: Run,
  { members, first }: Handoffs,
  takeSteps: RunSteps,
  outer: readonly AgentSpec[],
): Promise<RunFinishReason> {
  const { agent, progress, inside } = opened
  const guard = createGuard(agent.guard)
  let { waiting } = opened
  let active = waiting?.active?.[opened.at.length] ?? rememberedActive(opened) ?? first
  if (!members.has(active)) active = first

  for (let handoffs = 1; ; handoffs++) {
    const member = members.get(active) as AgentSpec // it has just been looked up
    const begun = progress.messages.length
    const others = [...members.values(), ...outer].filter((other) => other !== member)
    const { reason, to } = await hold(opened, { member, others, waiting }, takeSteps)
    waiting = undefined
    if (to === undefined) {
      // Who cannot hand on does not keep the conversation. What waits is stored already.
      if (reason !== 'approval') await remember(opened, member.plan ? first : active)
      return reason
    }
    if (!members.has(to)) {
      inside.handedTo = to
      return 'stop'
    }
    guard.beginStep(1)
    const { calls, results } = doneIn(progress.messages.slice(begun))
    guard.finished({ name: `${active} → ${to}`, input: calls }, { content: results, isError: false })
    if (guard.stalled !== undefined) return stopped(opened, 'no-progress', roundAndRound(active, to))
    if (handoffs >= agent.maxSteps) return stopped(opened, 'max-steps', tooOften(agent))
    active = to
    await remember(opened, active)
  }
}

type Holder = { member: AgentSpec; others: readonly AgentSpec[]; waiting: Run['waiting'] }

/** One member has the conversation, until it answers or hands on. */
async function hold(
  opened: Run,
  { member, others, waiting }: Holder,
  takeSteps: RunSteps,
): Promise<{ reason: RunFinishReason; to: string | undefined }> {
  const { agent, scope, turn, progress, inside } = opened
  const emit: RunScope['emit'] = (event, path = []) => scope.emit(event, [member.id, ...path])
  const at = [...opened.at, member.id]
  const warned = progress.warnings.length
  const place = { lane: `${inside.lane}/${member.id}`, store: inside.store }
  // The conversation as it is now: others may have added to the session while the run waited.
  const waits = waiting && { ...waiting, compaction: opened.conversation.compaction }
  const session = { turn, scope: { ...scope, emit }, moved: false, place, ...(waits ? { waiting: waits } : {}) }
  const book = bookOf(member, opened.ledger, progress, at.join('/'))
  const deadline = startDeadline(scope.end, member.timeoutMs)
  const clock = startBudgetClock(scope.end, book.ledger)
  await emit({ type: 'agent-start', name: member.name })
  let end: MemberEnd = { status: 'failed' }
  try {
    // What it starts is paid for by it, too.
    const current = { ...(currentRun.getStore() as CurrentRun), ledger: book.ledger } // within a run
    return await currentRun.run(current, async () => {
      checkTaken(member, [...turn.history, ...progress.messages])
      const run = await readyRun(withTransfers(member, others, agent), session, progress, book.ledger, at)
      const reason = await takeSteps(run, others)
      const to = run.inside.handedTo
      end = to === undefined ? memberStatus(reason, progress.reply.text) : { status: 'done' }
      if (to !== undefined) await emit({ type: 'handoff', to })
      return { reason, to }
    })
  } catch (error) {
    end = endOf(error, scope.signal)
    throw error
  } finally {
    book.close()
    clock.stop()
    deadline.stop()
    const own = progress.warnings.splice(warned).map((warning) => `${member.name}: ${warning}`)
    // A member that has the conversation again has the same warnings again.
    progress.warnings.push(...own.filter((warning) => !progress.warnings.includes(warning)))
    await emit({ type: 'agent-end', name: member.name, ...end })
  }
}

type MemberEnd = { status: MemberStatus; reason?: string }

function stopped({ progress }: Run, reason: RunFinishReason, why: string): RunFinishReason {
  progress.warnings.push(why)
  return reason
}

function roundAndRound(one: string, other: string): string {
  return `"${one}" and "${other}" handed the conversation to each other again and again, and did nothing else.`
}

function tooOften({ maxSteps }: AgentSpec): string {
  return `The conversation was handed on ${maxSteps} times. Raise the swarm's \`maxSteps\` if it needs more.`
}

/** What was done beside handing on, and what came of it. Not its words: they differ whenever a model says the same. */
function doneIn(messages: readonly Message[]): { calls: unknown; results: string } {
  const calls = messages.flatMap((message) => (message.role === 'assistant' ? toolCalls(message) : []))
  const results = messages.filter((message) => message.role === 'tool')
  return {
    calls: calls.filter((call) => !isTransfer(call)).map(({ name, input }) => [name, input]),
    results: JSON.stringify(results.filter((result) => !isTransfer(result)).map(({ content }) => content)),
  }
}

function endOf(error: unknown, signal: AbortSignal): MemberEnd {
  const cause = signal.aborted ? abortError(signal) : error
  const reason = isAgentKitError(cause) ? cause.message : 'It failed.'
  const code = isAgentKitError(cause) ? cause.code : ''
  return { status: code === 'aborted' || code === 'budget' ? code : 'failed', reason }
}

/** Who had the conversation when the last run ended. */
function rememberedActive({ turn, inside }: Run): string | undefined {
  const { active } = stateOf(turn)
  if (typeof active !== 'object' || active === null || Array.isArray(active)) return undefined
  const known = active[inside.lane]
  return typeof known === 'string' ? known : undefined
}

async function remember({ turn, inside, scope }: Run, active: string): Promise<void> {
  const state = stateOf(turn)
  const known = typeof state.active === 'object' && !Array.isArray(state.active) ? state.active : {}
  await untilAborted(scope.signal, turn.append([], { ...state, active: { ...known, [inside.lane]: active } }))
}

/**
 * A member with its own budget has a book of its own beside the run's. It is one for the whole run, however often the
 * member has the conversation; whoever waits, the run's clock stands still.
 */
function bookOf(
  { budget, prices }: AgentSpec,
  run: Ledger,
  { books }: Progress,
  at: string,
): { ledger: Ledger; close(): void } {
  const own = createLedger({ budget, prices, parent: run })
  own.resume(books[at])
  const ledger: Ledger = {
    ...own,
    get cost() {
      return run.cost
    },
    get isPaused() {
      return run.isPaused
    },
    pause() {
      books[at] = own.pause()
      return run.pause()
    },
    resume(booked) {
      own.resume()
      run.resume(booked)
    },
  }
  const close = (): void => {
    books[at] = own.pause()
  }
  return { ledger, close }
}
