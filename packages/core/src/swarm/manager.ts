import type { Collaborate } from './collaboration.ts'
import { memberTool } from './member-tool.ts'

/** The swarm's own model gives tasks to members, several at once, and writes the answer. */
export const manager: Collaborate = (members, history = 'task') => ({
  tools: members.map((member) => memberTool(member, history)),
  spec: {},
})
