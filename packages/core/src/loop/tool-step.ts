import type { ToolCall } from '../contracts/model.ts'
import type { Approval, Decisions } from '../data/approval-data.ts'
import type { Citation } from '../data/citation.ts'
import { abortError } from '../data/errors.ts'
import type { JSONValue, ToolMessage } from '../data/message.ts'
import { toolCalls } from '../data/transcript.ts'
import { limits } from '../limits.ts'
import { startDeadline } from '../policies/deadline.ts'
import type { Guard } from '../policies/guard.ts'
import { callsToApprove, checkDecisions } from '../runs/approvals.ts'
import type { Reply } from '../runs/reply.ts'
import { approvalsOfMembers, openApprovals, storeWaiting, type WaitingStep } from '../runs/snapshot.ts'
import { untilAborted } from '../util/abort.ts'
import { cloneJSON } from '../util/clone-json.ts'
import { runTools, type ToolOutcome, type ToolScope } from './execute-tools.ts'
import type { Run } from './types.ts'
import { MemberWaits } from './types.ts'

/**
 * Answers the calls of a step: those that need nobody's leave at once, then those that somebody has decided on.
 *
 * @param decisions of a run that goes on; its calls are those that waited
 * @returns whether every call has its result; otherwise the run is stored as waiting
 */
export async function answerCalls(run: Run, reply: Reply, decisions?: Decisions): Promise<boolean> {
  const { calls } = reply
  if (calls.length === 0) return true
  const { progress, conversation, guard } = run
  guard.beginStep(calls.length)
  const { parked } = run.inside
  let own = decisions ? openApprovals(calls, progress.steps, parked) : await askWhich(run, taken(calls))
  if (decisions) await checkOrPark(run, reply, own, decisions)
  own = own.filter(({ path }) => path === undefined)
  const free = calls.filter(({ callId }) => !parked.has(callId) && !own.some((approval) => approval.callId === callId))
  const refused = new Map([...tooManyAtOnce(calls), ...unfinishedAnswers(run, free)])
  await runCalls(run, free, { approved: new Set(), refused })
  for (let decided = decisions; own.length + parked.size > 0; decided = undefined) {
    const known = decided ?? (await waitForDecisions(run, reply, [...own, ...approvalsOfMembers(parked)]))
    if (!known) return false
    const ready = own.filter(({ approvalId }) => known[approvalId] !== undefined)
    own = own.filter((approval) => !ready.includes(approval))
    const due = calls.filter(({ callId }) => ready.some((approval) => approval.callId === callId))
    await runCalls(run, due, verdictsOf(ready, known))
    await goOnWithMembers(run, calls, known)
  }
  // The results of the step as they came, those from before the run waited too; the model sees them in the order of
  // their calls.
  const asked = progress.messages.findLastIndex(({ role }) => role === 'assistant')
  for (const message of inOrder(progress.messages.splice(asked + 1) as ToolMessage[], reply)) {
    progress.messages.push(message)
    conversation.add(message)
  }
  return true
}

/** Members that something was decided for go on, in the calls that they were called by. */
async function goOnWithMembers(run: Run, calls: readonly ToolCall[], decisions: Decisions): Promise<void> {
  const { parked, decided } = run.inside
  for (const [callId, { approvals }] of parked) {
    const known = approvals.filter(({ approvalId }) => decisions[approvalId] !== undefined)
    if (known.length === 0) continue
    // As the member named them, before its call was put before its names.
    const inner = known.map(({ approvalId }) => [approvalId.slice(callId.length + 1), decisions[approvalId]])
    decided.set(callId, Object.fromEntries(inner))
  }
  const due = calls.filter(({ callId }) => decided.has(callId))
  const before = new Map(parked)
  await tellOutcomes(run, due, { approved: new Set(due.map(({ callId }) => callId)), refused: new Map() })
  for (const { callId } of due) {
    decided.delete(callId)
    // It has its result, also where its member could not go on: one that is no member any more, or a hook that blocks.
    if (parked.get(callId) === before.get(callId)) parked.delete(callId)
  }
}

function askWhich({ toolBox, progress, scope }: Run, calls: readonly ToolCall[]): Promise<Approval[]> | Approval[] {
  return toolBox.mayNeedApproval ? untilAborted(scope.signal, callsToApprove(calls, toolBox, progress.steps)) : []
}

/** Decisions that cannot be used leave the run as it was: waiting. */
async function checkOrPark(run: Run, reply: Reply, open: Approval[], decisions: Decisions): Promise<void> {
  try {
    checkDecisions(decisions, open)
  } catch (error) {
    await park(run, reply, open)
    throw error
  }
}

async function waitForDecisions(run: Run, reply: Reply, open: Approval[]): Promise<Decisions | undefined> {
  const { scope, progress, turn, ledger, conversation } = run
  const { signal, approvals, emit } = scope
  try {
    await park(run, reply, open)
    // From here on something waits: who is asked may decide at once.
    const decided = approvals.decisions(open, signal)
    for (const { path, ...approval } of open) {
      await emit({ type: 'approval-request', ...approval, input: cloneJSON(approval.input as JSONValue) }, path)
    }
    const decisions = await decided
    if (!decisions) return undefined
    const { moved } = await turn.reopen(signal)
    progress.approvals = []
    ledger.resume()
    if (moved) await conversation.rebase(turn.history)
    return decisions
  } catch (error) {
    // What is not stored as waiting ends like any other run.
    if (progress.approvals.length === 0) throw error
    // A person may take longer than the run's deadline: it goes on when it is decided.
    if (abortError(signal).code === 'timeout') return undefined
    if (approvals.isCancelled) await withdraw(run)
    throw error
  }
}

/**
 * Takes a cancelled run back, so that it ends like any other.
 * @throws when another run holds its session, or it goes on elsewhere: then it stays as it is, and its result says so
 */
async function withdraw({ turn, progress }: Run): Promise<void> {
  const controller = new AbortController()
  const deadline = startDeadline((reason) => controller.abort(reason), limits.endFailedMs)
  await turn.reopen(controller.signal).finally(deadline.stop)
  progress.approvals = []
}

/** The same of one that has ended as cancelled before its store was done with having it wait. */
async function endParked({ turn, ledger }: Run): Promise<void> {
  await turn.reopen(new AbortController().signal)
  await turn.end('failed', ledger.spent.usage).finally(turn.release)
}

/** Stores the run as waiting, before anybody is asked: from here on it survives its process. */
async function park(run: Run, { reason, usage, planned }: Reply, open: Approval[]): Promise<void> {
  const { progress, turn, ledger, conversation, scope } = run
  const { compaction } = conversation
  const booked = ledger.pause()
  const { steps, sources, warnings, misfits, summary, books } = progress
  const kept = { steps, sources, warnings, misfits, books, ...(summary === undefined ? {} : { summary }) }
  const { inside, at, stepsBefore } = run
  const waiting: WaitingStep = {
    ...{ reason, usage, booked, compaction, progress: kept },
    ...(planned ? { planned } : {}),
    ...(inside.parked.size > 0 ? { members: Object.fromEntries(inside.parked) } : {}),
    ...(at.length > 0 ? { active: at, stepsBefore } : {}),
    ...(inside.handedTo === undefined ? {} : { handedTo: inside.handedTo }),
  }
  const shown =
    at.length > 0 ? open.map((approval) => ({ ...approval, path: [...at, ...(approval.path ?? [])] })) : open
  await storeWaiting(turn, waiting, progress, shown, scope.signal, () => {
    if (scope.approvals.isCancelled) void endParked(run).catch(() => {})
    return scope.approvals.isCancelled
  })
}

function unnoted(guard: Guard): Guard {
  return {
    ...guard,
    finished(call, result) {
      guard.finished(call, result)
      return undefined
    },
  }
}

type Verdicts = Pick<ToolScope, 'approved' | 'refused'>

async function runCalls(run: Run, calls: readonly ToolCall[], verdicts: Verdicts): Promise<void> {
  if (calls.length === 0) return
  run.ledger.beginToolCalls(calls.filter(({ callId }) => !verdicts.refused.has(callId)).length)
  await tellOutcomes(run, calls, verdicts)
}

async function tellOutcomes(run: Run, calls: readonly ToolCall[], verdicts: Verdicts): Promise<void> {
  for (const running of runTools(calls, { ...toolScope(run), ...verdicts })) {
    const outcome = await running
    if (outcome instanceof MemberWaits) run.inside.parked.set(outcome.callId, outcome.parked)
    else await tellOutcome(run, outcome)
  }
}

/** The calls of one answer that are run. */
function taken(calls: readonly ToolCall[]): readonly ToolCall[] {
  return calls.slice(0, limits.toolCallsPerStep)
}

/** The calls beyond them: none of them runs, and none counts for a budget. */
function tooManyAtOnce(calls: readonly ToolCall[]): [string, string][] {
  const most = limits.toolCallsPerStep
  const why = `The call was not run: of one answer at most ${most} calls are, and this one had ${calls.length}. Make the others in further answers, with fewer at once.`
  return calls.slice(most).map(({ callId }) => [callId, why])
}

/** An answer beside other calls came too soon: it is not taken. */
function unfinishedAnswers({ finalTool }: Run, calls: readonly ToolCall[]): Map<string, string> {
  const refused = new Map<string, string>()
  for (const { callId, name } of calls) {
    if (name !== finalTool) continue
    refused.set(
      callId,
      `The answer was not taken: it came beside other calls. Read their results, then call ${name} alone.`,
    )
  }
  return refused
}

function verdictsOf(approvals: readonly Approval[], decisions: Decisions): Verdicts {
  const approved = new Set<string>()
  const refused = new Map<string, string>()
  for (const { approvalId, callId } of approvals) {
    const decision = decisions[approvalId]
    if (decision === true) approved.add(callId)
    else refused.set(callId, `The call was denied: ${decision?.deny || 'no reason was given.'}`)
  }
  return { approved, refused }
}

async function tellOutcome({ progress, scope, finalTool }: Run, outcome: ToolOutcome): Promise<void> {
  const { message, output, durationMs, sources } = outcome
  progress.messages.push(message)
  if (message.name === finalTool) return
  const { callId, name, isError = false } = message
  await scope.emit({ type: 'tool-result', callId, name, output, isError, durationMs })
  for (const source of sources) {
    // What was found before stands on the list already.
    if (progress.sources.some((known) => isSamePassage(known, source))) continue
    progress.sources.push(source)
    await scope.emit({ type: 'source', source })
  }
}

function isSamePassage(one: Citation, other: Citation): boolean {
  return one.file === other.file && one.chunkId === other.chunkId
}

function inOrder(results: readonly ToolMessage[], { message }: Reply): ToolMessage[] {
  return toolCalls(message).flatMap(({ callId }) => results.find((result) => result.callId === callId) ?? [])
}

function toolScope(run: Run): Omit<ToolScope, keyof Verdicts> {
  const { agent, scope, progress, turn, guard, conversation, toolBox } = run
  const { signal, userId, runId, sessionId } = scope
  return {
    toolBox,
    toolTimeoutMs: agent.toolTimeoutMs,
    signal,
    userId,
    runId,
    ...(sessionId === undefined ? {} : { sessionId }),
    inside: run.inside,
    hooks: agent.hooks,
    // Where no model reads a note, it would be taken for a member's words.
    guard: progress.reply.planned ? unnoted(guard) : guard,
    keepWhole: conversation.keepWhole,
    async onFinished(message) {
      await untilAborted(signal, turn.append([message]))
      progress.finished.push(message)
    },
  }
}
