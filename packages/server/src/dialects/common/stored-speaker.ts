import type { Message, Runnable, Turn } from '@agentkit/core'

type SpokenRun = {
  agent: Pick<Runnable, 'id' | 'speaker' | 'sessions'>
  runId: string
  userId: string
  sessionId: string | undefined
  turn: Turn | undefined
}

/**
 * The member whose words are the answer, with its messages in a run that has ended: they are in a session of its own.
 * Absent where the agent itself has the words.
 */
export async function storedSpeaker({
  agent: { id, speaker, sessions },
  runId,
  userId,
  sessionId,
  turn,
}: SpokenRun): Promise<{ id: string; messages: readonly Message[] } | undefined> {
  const hasEnded = turn !== undefined && turn.status !== 'running' && turn.status !== 'waiting'
  if (speaker === undefined || speaker === id || sessionId === undefined || !hasEnded) return undefined
  const turns = await sessions.turns({ agentId: `${id}/${speaker}`, userId, sessionId })
  const own = turns.findLast((each) => each.runId.startsWith(`${runId}/`) && each.status !== 'replaced')
  return own && { id: speaker, messages: own.messages }
}
