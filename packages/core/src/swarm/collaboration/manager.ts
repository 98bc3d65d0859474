import { memberTool } from '../member-tool.ts'
import type { Collaborate } from './collaboration.ts'

/** The swarm's own model gives tasks to members, several at once, and writes the answer. */
export const manager: Collaborate = (members, history = 'task') => ({
  tools: members.map((member) => memberTool(member, history)),
  spec: {},
})
