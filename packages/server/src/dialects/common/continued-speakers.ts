import type { StoredRun, Turn } from '@agentkit/core'
import { Speakers } from '@agentkit/core/internal'

/**
 * The agents whose events a client receives of a suspended run that continues.
 * @param turn the run in its session
 */
export function continuedSpeakers({ record, approvals }: StoredRun, turn: Turn | undefined): Speakers {
  const openCalls = new Map<string, string>()
  for (const message of turn?.messages ?? []) {
    if (message.role === 'tool') openCalls.delete(message.callId)
    if (message.role !== 'assistant') continue
    for (const part of message.content) if (part.type === 'tool-call') openCalls.set(part.callId, part.name)
  }
  // A call that needs a decision is one of the agent that has the conversation. Another one waits for a member, which answers its caller.
  for (const { callId, name } of approvals) if (openCalls.get(callId) === name) openCalls.delete(callId)
  const path = approvals.at(-1)?.path
  const active = openCalls.size === 0 && path?.length === 1 ? { active: [record.agentId, ...path] } : {}
  return new Speakers({ openCalls: openCalls.keys(), ...active })
}
