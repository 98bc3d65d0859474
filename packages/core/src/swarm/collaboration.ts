import type { Tool } from '../contracts/tool.ts'
import { invalidArgument } from '../data/errors.ts'
import { textOfInput } from '../data/transcript.ts'
import type { AgentSpec } from '../loop/run/types.ts'
import { memberToolName } from '../runs/driver/member-run.ts'
import { answersIn } from './answers.ts'
import { runHandoffs } from './handoffs.ts'
import type { MemberHistory } from './member-history.ts'
import { memberTool } from './member-tool.ts'
import { checkTransfers } from './transfer-tool.ts'

/** What a kind of collaboration adds to the swarm's own agent. */
export type Collaborate = (
  members: readonly AgentSpec[],
  history: MemberHistory | undefined,
) => {
  /** The tools that call members. */
  tools: Tool[]
  spec: Partial<Pick<AgentSpec, 'plan' | 'membersAnswer' | 'drive' | 'maxSteps'>>
}

/** The swarm's own model gives tasks to members, several at once, and writes the answer. */
export const manager: Collaborate = (members, history = 'task') => ({
  tools: members.map((member) => memberTool(member, history)),
  spec: {},
})

/** All members answer in parallel; then the swarm's model combines their answers. */
export const parallel: Collaborate = (members, history = 'task') => ({
  tools: members.map((member) => memberTool(member, history, { withParts: true })),
  spec: {
    plan(run) {
      if (answersIn(run, members).length > 0) return undefined
      const task = textOfInput(run.state)
      return { calls: members.map(({ id }) => ({ name: memberToolName(id), input: { task } })) }
    },
    membersAnswer(run) {
      // Its model may have called members again.
      const answers = answersIn(run, members).slice(0, members.length)
      const given = answers.filter(({ text }) => text !== '')
      return given.map(({ agent, text }) => `${agent}:\n${text}`).join('\n\n')
    },
  },
})

/** One member at a time has the conversation, and hands it over by a tool. The first member starts. */
export const handoff: Collaborate = (members) => {
  const [first] = members
  if (!first) throw invalidArgument('A swarm needs `agents` to hand a conversation to.')
  checkTransfers(members)
  const handoffs = { members: new Map(members.map((member) => [member.id, member])), first: first.id }
  return { tools: [], spec: { drive: (run, next, outer) => runHandoffs(run, handoffs, next, outer) } }
}
