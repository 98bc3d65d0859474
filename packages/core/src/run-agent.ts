import { setTimeout as wait } from 'node:timers/promises'
import { untilAborted } from './abort.ts'
import { callModel, type Emit, emptyReply, type Reply } from './call-model.ts'
import type { Citation } from './citation.ts'
import { AgentKitError, abortError, errorOfRun, isAgentKitError, messageOf, toErrorInfo } from './errors.ts'
import type { RunFinishReason } from './event.ts'
import { limits } from './limits.ts'
import type { Message, ToolMessage, UserMessage } from './message.ts'
import type { Model } from './model.ts'
import { type OpenTurn, openTurn } from './open-turn.ts'
import { redactSecrets } from './redact.ts'
import type { RunResult } from './run.ts'
import { runTools, type ToolBox, type ToolOutcome, type ToolScope } from './run-tools.ts'
import type { SessionKey, SessionStore } from './session.ts'
import { stoppedNote, visibleMessages } from './transcript.ts'
import { addUsage, type Usage } from './usage.ts'

/** What the loop needs of an agent. */
export type AgentSpec = {
  id: string
  instruction: string | undefined
  model: Model
  sessions: SessionStore
  maxSteps: number
  toolTimeoutMs: number
  /** Compiled once, at the first run. */
  toolBox(): Promise<ToolBox>
}

/** What the loop needs of one run. */
export type RunScope = {
  runId: string
  userId: string
  sessionId: string | undefined
  input: UserMessage
  history: readonly Message[]
  signal: AbortSignal
  emit: Emit
}

/** The loop: ask the model, run the tools it calls, until it answers. Never rejects, and ends in one `run-end`. */
export async function runAgent(agent: AgentSpec, scope: RunScope): Promise<RunResult> {
  const progress = newProgress(scope.input)
  await scope.emit({ type: 'run-start', ...(scope.sessionId === undefined ? {} : { sessionId: scope.sessionId }) })
  let turn: OpenTurn | undefined
  let finishReason: RunFinishReason = 'error'
  let error: AgentKitError | undefined
  try {
    turn = await openTurn({ ...scope, store: agent.sessions, key: sessionKey(agent, scope), seed: scope.history })
    finishReason = await takeSteps(agent, scope, turn, progress)
    scope.signal.throwIfAborted()
    await untilAborted(scope.signal, turn.end('done', progress.usage))
    turn.release()
  } catch (cause) {
    error = toRunError(cause, scope, progress.usage)
    finishReason = error.code === 'aborted' ? 'aborted' : 'error'
    await endFailed(turn, progress, error)
  }
  const result = toResult(scope.runId, progress, finishReason, error)
  const { text, usage } = result
  // Its reader may be gone: the end is not waited for.
  void scope.emit({ type: 'run-end', finishReason, text, usage, ...(error ? { error: toErrorInfo(error) } : {}) })
  return result
}

/** What a run has come to, also when it fails. */
type Progress = {
  messages: Message[]
  /** Results as they finished; `messages` has them in the order of their calls. */
  finished: ToolMessage[]
  reply: Reply
  usage: Usage
  steps: number
  sources: Citation[]
  warnings: string[]
}

async function takeSteps(
  agent: AgentSpec,
  scope: RunScope,
  turn: OpenTurn,
  progress: Progress,
): Promise<RunFinishReason> {
  const { signal, emit } = scope
  const toolBox = await untilAborted(signal, agent.toolBox())
  const tools = toolBox.specs.length > 0 ? { tools: toolBox.specs } : undefined
  const before: Message[] = agent.instruction
    ? [{ v: 1, role: 'system', content: agent.instruction }, ...turn.history]
    : [...turn.history]
  for (let step = 1; ; step++) {
    await emit({ type: 'step-start', step })
    const reply = emptyReply()
    progress.reply = reply
    await callModel(agent.model, { messages: [...before, ...progress.messages], ...tools }, signal, emit, reply)
    await keepReply(reply, turn, progress, signal)
    for (const pending of runTools(reply.calls, toolScope(agent, scope, toolBox, turn, progress))) {
      await tellOutcome(await pending, emit, progress)
    }
    const { reason: finishReason, usage } = reply
    await emit({ type: 'step-end', step, model: reply.message.model ?? agent.model.id, finishReason, usage })
    // Some providers say "stop" and still call tools: whether there are calls decides, not the reason.
    if (reply.calls.length === 0) return finishReason === 'tool-calls' ? 'stop' : finishReason
    if (step >= agent.maxSteps) return 'max-steps'
  }
}

async function keepReply(reply: Reply, turn: OpenTurn, progress: Progress, signal: AbortSignal): Promise<void> {
  progress.steps++
  progress.usage = addUsage(progress.usage, reply.usage)
  progress.warnings.push(...reply.warnings)
  if (reply.reason === 'content-filter' && reply.calls.length > 0) {
    // A filtered answer's calls are not run, so they must not stand in the history either.
    reply.calls = []
    reply.message = { ...reply.message, content: reply.message.content.filter((part) => part.type !== 'tool-call') }
  }
  if (reply.message.content.length === 0) return
  await untilAborted(signal, turn.append([reply.message]))
  progress.messages.push(reply.message)
}

async function tellOutcome(outcome: ToolOutcome, emit: Emit, progress: Progress): Promise<void> {
  const { message, output, durationMs, sources } = outcome
  progress.messages.push(message)
  const { callId, name, isError = false } = message
  await emit({ type: 'tool-result', callId, name, output, isError, durationMs })
  for (const source of sources) {
    progress.sources.push(source)
    await emit({ type: 'source', source })
  }
}

function sessionKey(agent: AgentSpec, { userId, sessionId }: RunScope): SessionKey | undefined {
  return sessionId === undefined ? undefined : { agentId: agent.id, userId, sessionId }
}

function toolScope(
  { toolTimeoutMs }: AgentSpec,
  { signal, userId, runId, sessionId }: RunScope,
  toolBox: ToolBox,
  turn: OpenTurn,
  progress: Progress,
): ToolScope {
  return {
    toolBox,
    toolTimeoutMs,
    signal,
    userId,
    runId,
    ...(sessionId === undefined ? {} : { sessionId }),
    async onFinished(message) {
      await untilAborted(signal, turn.append([message]))
      progress.finished.push(message)
    },
  }
}

function newProgress(input: UserMessage): Progress {
  return { messages: [input], finished: [], reply: emptyReply(), usage: {}, steps: 0, sources: [], warnings: [] }
}

/** Ends the turn as failed; with finished calls, by a note that says why, so that nothing is done twice. */
async function endFailed(turn: OpenTurn | undefined, progress: Progress, error: AgentKitError): Promise<void> {
  if (!turn) return
  const { append, end, release } = turn
  const ending = (async () => {
    // The run has failed already, and says why: what the store makes of it changes nothing. What it cannot end now is
    // ended before the session's next run.
    if (progress.finished.length > 0) await append([stoppedNote(error.code)]).catch(() => {})
    await end('failed', progress.usage).catch(() => {})
  })().finally(release)
  await Promise.race([ending, wait(limits.endFailedMs, undefined, { ref: false })])
}

function toRunError(cause: unknown, { signal, runId }: RunScope, usage: Usage): AgentKitError {
  const error = signal.aborted ? abortError(signal) : cause
  if (isAgentKitError(error)) return errorOfRun(error, { runId, usage })
  // Models and tools have been answered for: what is left to throw something else is the session store.
  const message = `The session store failed: ${redactSecrets(messageOf(error))}`
  return new AgentKitError('storage', message, { cause, runId, usage })
}

function toResult(
  runId: string,
  progress: Progress,
  finishReason: RunFinishReason,
  error: AgentKitError | undefined,
): RunResult {
  const { messages, reply, usage, steps, sources, warnings } = progress
  const result: RunResult = { runId, text: reply.text, messages, finishReason, usage, steps, sources, warnings }
  return error ? { ...result, messages: visibleAfter(progress, error), error } : result
}

/** What a failed run leaves for the model to see: the same as its session would show. */
function visibleAfter({ messages, finished }: Progress, error: AgentKitError): Message[] {
  const untold = finished.filter((message) => !messages.includes(message))
  const journal = [...messages, ...untold, stoppedNote(error.code)]
  return visibleMessages({ runId: '', status: 'failed', createdAt: '', messages: journal })
}
