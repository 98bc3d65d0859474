import { textOfInput } from '../data/transcript.ts'
import { answersIn } from './answers.ts'
import type { Collaborate } from './collaboration.ts'
import { memberTool, memberToolName } from './member-tool.ts'

/** All members answer at once; then the swarm's model makes one answer of theirs. */
export const parallel: Collaborate = (members, history = 'task') => ({
  tools: members.map((member) => memberTool(member, history, { withParts: true })),
  spec: {
    plan(run) {
      const { progress } = run
      const answers = answersIn(run, members)
      if (answers.length > 0) {
        const given = answers.filter(({ text }) => text !== '')
        progress.soFar ??= given.map(({ agent, text }) => `${agent}:\n${text}`).join('\n\n')
        return undefined
      }
      const task = textOfInput(progress)
      return { calls: members.map(({ id }) => ({ name: memberToolName(id), input: { task } })) }
    },
  },
})
