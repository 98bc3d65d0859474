import { AgentKitError } from '../data/errors.ts'
import type { Collaborate } from './collaboration.ts'
import { passAround } from './pass-around.ts'

/** One member at a time has the conversation, and hands it on by a tool; the first one has it first. */
export const handoff: Collaborate = (members) => {
  const [first] = members
  if (!first) throw new AgentKitError('invalid-argument', 'A swarm needs `agents` to hand a conversation to.')
  const handoffs = { members: new Map(members.map((member) => [member.id, member])), first: first.id }
  return { tools: [], spec: { drive: (run, next, outer) => passAround(run, handoffs, next, outer) } }
}
