import { AgentKitError } from '../errors.ts'
import { memberTool, memberToolName } from '../member-tool.ts'
import type { AgentSpec, Run } from '../open-run.ts'
import { answersIn, type CalledAnswer } from './answers.ts'
import { type Collaborate, textOfInput } from './collaboration.ts'

/** Each member goes on from what the one before it has answered; the last one's answer is the swarm's. */
export const sequence: Collaborate = (members, history = 'task') => ({
  tools: members.map((member) => memberTool(member, history, { withParts: true })),
  spec: {
    // There are no more steps than members.
    maxSteps: Number.MAX_SAFE_INTEGER,
    plan(run) {
      const answers = answersIn(run.progress.messages, members)
      const last = answers.at(-1)
      if (last && last.status !== 'done') throw failureOf(run, last)
      const next = members[answers.length]
      if (!next) return { answer: last?.text ?? '' }
      const task = continuing(textOfInput(run.progress), last, members)
      return { calls: [{ name: memberToolName(next.id), input: { task } }] }
    },
  },
})

/** The user's words, and what the member before has made of them. */
export function continuing(question: string, last: CalledAnswer | undefined, members: readonly AgentSpec[]): string {
  if (!last) return question
  const name = members.find(({ id }) => id === last.agent)?.name ?? last.agent
  const made = last.status === 'done' ? last.text : `It ${last.status}: ${last.reason ?? 'no reason is known.'}`
  return `${question}\n\n${name} has answered:\n${made}`
}

/** What a swarm without a model of its own fails in when a member has failed. */
export function failureOf({ inside }: Run, { callId, agent, status, reason = '' }: CalledAnswer): AgentKitError {
  const cause = inside.failures.get(callId)
  const message = `"${agent}" ${status === 'failed' ? 'failed' : `ended (${status})`}. ${reason}`
  const code = status === 'budget' ? 'budget' : (cause?.code ?? 'tool-error')
  return new AgentKitError(code, message, { cause, ...(cause ? { retryable: cause.retryable } : {}) })
}
