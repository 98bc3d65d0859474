import type { RunFinishReason, RunRecord, StoredRun, TurnStatus } from '@agentkit/core'
import { isRecord, sourcesSoFar, storedClientData } from '@agentkit/core/internal'
import type { RouteParts } from '../../request/parts.ts'
import { storedSpeaker } from '../common/stored-speaker.ts'
import { turnEvents } from '../common/turn-events.ts'
import type { FoundResponse } from './find-response.ts'
import { type ResponseHead, type ResponseStatus, responseBody } from './response-body.ts'
import { ResponseReader } from './response-reader.ts'
import { endedState } from './responses-encoder.ts'

/** A response that is read later, from the stored data of its run. */
export async function storedResponse(
  { agent }: RouteParts,
  found: FoundResponse,
  head?: Partial<ResponseHead>,
): Promise<object> {
  const { runId, turn, stored } = found
  const whole = { ...storedHead(agent.id, found), ...head }
  const reader = await readStored(agent, found)
  const {
    status = statuses[turn?.status ?? 'running'],
    text = '',
    usage = turn?.usage,
    cost,
    error,
  } = stored?.record ?? {}
  if (status === 'queued' || status === 'running') {
    const state: ResponseStatus = status === 'queued' ? 'queued' : 'in_progress'
    return responseBody(whole, { facts: { runId }, status: state, output: reader.output })
  }
  const finishReason = finishReasonOf(stored?.record, status)
  reader.read({
    ...{ type: 'run-end', seq: 0, runId, path: [agent.id], finishReason, text, usage: usage ?? {} },
    ...(cost && { cost }),
    ...(error && { error }),
  })
  return responseBody(whole, endedState(reader))
}

export function storedHead(agentId: string, { turn, stored }: FoundResponse): ResponseHead {
  const createdAt = stored?.record.createdAt ?? turn?.createdAt ?? ''
  return {
    model: agentId,
    created: Math.floor(Date.parse(createdAt) / 1_000) || 0,
    isBackground: stored?.isBackground ?? false,
    ...(stored && headAsAnswered(stored)),
  }
}

/** What the route that answered has stored; nothing for a run of another route. */
function headAsAnswered(stored: StoredRun): Partial<Pick<ResponseHead, 'created' | 'metadata'>> {
  const sent = storedClientData(stored)
  // The route has checked and stored both.
  return isRecord(sent) && isRecord(sent.metadata) ? (sent as Pick<ResponseHead, 'created' | 'metadata'>) : {}
}

/** Reads the stored messages of a run, without its end. */
export async function readStored(agent: RouteParts['agent'], found: FoundResponse): Promise<ResponseReader> {
  const { id: agentId } = agent
  const { runId, turn, stored } = found
  const reader = new ResponseReader(agentId, agent.speaker, stored?.approvals)
  const { approvals = [] } = stored?.record ?? {}
  const sources = stored ? sourcesSoFar(stored) : []
  const speaker = await storedSpeaker({ agent, ...found })
  const events = turnEvents({ agentId, runId, messages: turn?.messages ?? [], approvals, sources, speaker })
  for (const event of events) reader.read(event)
  return reader
}

const statuses: Record<TurnStatus, RunRecord['status']> = {
  running: 'running',
  waiting: 'waiting',
  done: 'done',
  failed: 'failed',
  // A replaced turn has ended before another turn replaced it.
  replaced: 'done',
}

function finishReasonOf(record: RunRecord | undefined, status: RunRecord['status']): RunFinishReason {
  if (status === 'waiting') return 'approval'
  return record?.finishReason ?? (status === 'failed' ? 'error' : 'stop')
}
