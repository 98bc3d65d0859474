import type { Approval } from '../data/approval-data.ts'
import type { Citation } from '../data/citation.ts'
import type { AgentKitError } from '../data/errors.ts'
import type { RunFinishReason } from '../data/event.ts'
import type { Message, ToolMessage } from '../data/message.ts'
import type { TurnStatus } from '../data/session-data.ts'
import { stoppedNote, visibleMessages } from '../data/transcript.ts'
import type { Booked, Ledger } from '../policies/ledger.ts'
import { emptyReply, type Reply } from './reply.ts'
import type { RunResult } from './run.ts'

/** What a run has come to, also when it fails. */
export type Progress = {
  /** What the run has added to the conversation, the user's message first. */
  messages: Message[]
  /** Results as they finished; `messages` has them in the order of their calls. */
  finished: ToolMessage[]
  reply: Reply
  steps: number
  sources: Citation[]
  warnings: string[]
  /** What waits to be decided, while the run is stored as waiting. */
  approvals: Approval[]
  /** The answer in the form that the agent's `output` asks for. */
  output: unknown
  /** Answers that did not have that form. */
  misfits: number
  /** What members have answered: shown where the run is stopped before it has said anything itself. */
  soFar?: string | undefined
  /** Of the conversation before, once a member was shown one. */
  summary?: string
  /** What members have used who had the conversation, by their place in it. */
  books: Record<string, Booked>
}

/** @param messages the user's message, and what a run that goes on had added after it */
export function newProgress(messages: readonly Message[]): Progress {
  return {
    messages: [...messages],
    finished: messages.filter((message) => message.role === 'tool'),
    reply: emptyReply(),
    steps: 0,
    sources: [],
    warnings: [],
    approvals: [],
    output: undefined,
    misfits: 0,
    books: {},
  }
}

/** What a run ends in. */
export type RunEnd = { finishReason: RunFinishReason; error?: AgentKitError }

export function toResult(runId: string, progress: Progress, ledger: Ledger, end: RunEnd): RunResult {
  const { reply, steps, sources, warnings, approvals, output } = progress
  const { usage } = ledger.spent
  const { cost } = ledger
  const messages = messagesAfter(progress, end)
  const answer = { text: reply.text, output: end.finishReason === 'stop' ? output : undefined }
  const result = { runId, ...answer, messages, ...end, usage, steps, sources, warnings, approvals }
  return cost ? { ...result, cost } : result
}

/** What a run leaves for the model to see: the same as its session would show. */
function messagesAfter({ messages, finished, approvals }: Progress, { finishReason, error }: RunEnd): Message[] {
  if (finishReason === 'stop') return messages
  const untold = finished.filter((message) => !messages.includes(message))
  const journal = [...messages, ...untold]
  // However it ended here: it is stored as waiting.
  const waits = approvals.length > 0
  if (error && !waits) journal.push(stoppedNote(error.code))
  return visibleMessages({
    runId: '',
    status: waits ? 'waiting' : statusOf(finishReason),
    createdAt: '',
    messages: journal,
  })
}

/** How the turn of a run that ends so is stored. */
export function statusOf(finishReason: RunFinishReason): Exclude<TurnStatus, 'running'> {
  if (finishReason === 'approval') return 'waiting'
  return finishReason === 'aborted' || finishReason === 'error' ? 'failed' : 'done'
}
