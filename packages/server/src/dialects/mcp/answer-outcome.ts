import type {
  AgentEvent,
  Approval,
  Citation,
  ErrorInfo,
  RunFinishReason,
  Runnable,
  StoredRun,
  Turn,
} from '@agentkit/core'
import { sourcesSoFar } from '@agentkit/core/internal'
import { ProblemError } from '../../answer/problem.ts'
import { AnswerReader } from '../common/answer-reader.ts'
import { continuedSpeakers } from '../common/continued-speakers.ts'
import { storedSpeaker } from '../common/stored-speaker.ts'
import { turnEvents } from '../common/turn-events.ts'

/** The outcome of a run: its end, or the approvals that it waits for. */
export type Outcome = {
  runId: string
  sessionId: string
  text: string
  sources: readonly Citation[]
  /** The approvals that the run waits for. */
  approvals: readonly Approval[]
  finishReason: RunFinishReason
  error?: ErrorInfo
}

/** Reads the events of a run. For a continued run, it also has the earlier answer. */
export class AnswerOutcome {
  readonly #sessionId: string
  readonly #reader: AnswerReader
  readonly #said: AnswerReader | undefined
  #runId = ''

  constructor(agent: Runnable, sessionId: string, continued?: { stored: StoredRun; turn: Turn | undefined }) {
    const options = { canDrop: true, speaker: agent.speaker }
    this.#sessionId = sessionId
    this.#said = continued && readTurn(agent, continued)
    this.#reader = new AnswerReader(
      continued ? { ...options, speakers: continuedSpeakers(continued.stored, continued.turn) } : options,
    )
    const { runId = '' } = continued?.stored.record ?? {}
    const sources = continued ? sourcesSoFar(continued.stored) : []
    for (const source of sources) this.#reader.read({ type: 'source', source, seq: 0, runId, path: [agent.id] })
  }

  read(event: AgentEvent): void {
    this.#runId = event.runId
    this.#reader.read(event)
  }

  /** @throws ProblemError for a run that has not ended: another process continues it */
  outcome(): Outcome {
    const { end, text, sources, approvals } = this.#reader
    if (!end) throw new ProblemError('overloaded', { detail: 'The server is shutting down.', quiet: true })
    const { finishReason, error } = end
    const place = { runId: this.#runId, sessionId: this.#sessionId }
    const said = this.#said?.text ?? ''
    // If a continued run has no new text, its text is the text of its last step, which is left out here.
    const whole = [said, said === text ? '' : text].filter((part) => part !== '').join('\n\n')
    return { ...place, text: whole, sources, approvals, finishReason, ...(error && { error }) }
  }
}

/** The outcome of a stored run. */
export async function storedOutcome(agent: Runnable, stored: StoredRun, turn: Turn | undefined): Promise<Outcome> {
  const { runId, userId, sessionId = '', status, text = '', error } = stored.record
  const finishReason = stored.record.finishReason ?? (status === 'waiting' ? 'approval' : 'stop')
  const speaker = await storedSpeaker({ agent, runId, userId, sessionId: stored.record.sessionId, turn })
  const reader = readTurn(agent, { stored, turn, speaker })
  reader.read({ type: 'run-end', seq: 0, runId, path: [agent.id], finishReason, text, usage: {} })
  const place = { runId, sessionId }
  return {
    ...place,
    text: reader.text,
    sources: sourcesSoFar(stored),
    approvals: openApprovals(stored),
    finishReason,
    ...(error && { error }),
  }
}

/** The approvals without a decision. */
export function openApprovals({ record, approvals }: StoredRun): Approval[] {
  const decided = new Set(approvals.flatMap(({ approvalId, decision }) => (decision === undefined ? [] : [approvalId])))
  return record.approvals.filter(({ approvalId }) => !decided.has(approvalId))
}

type ReadTurn = { stored: StoredRun; turn: Turn | undefined; speaker?: Awaited<ReturnType<typeof storedSpeaker>> }

function readTurn(agent: Runnable, { stored, turn, speaker }: ReadTurn): AnswerReader {
  const reader = new AnswerReader({ canDrop: true, speaker: agent.speaker })
  const { runId } = stored.record
  const messages = turn?.messages ?? []
  for (const event of turnEvents({ agentId: agent.id, runId, messages, speaker })) reader.read(event)
  return reader
}
