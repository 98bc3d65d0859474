import type { AgentEvent } from '@agentkit/core'

/** Whether the event is one of the member whose words are the answer. @param speaker of `Runnable.speaker` */
export function isSpeaker({ path }: AgentEvent, speaker: string | undefined): boolean {
  // An agent that is the speaker itself may have a member of the same id.
  return path.length === 2 && path[1] === speaker && path[0] !== speaker
}
