import { cutMiddle } from '../conversation/summary-prompt.ts'
import { AgentKitError } from '../data/errors.ts'
import { textOfInput } from '../data/transcript.ts'
import { limits } from '../limits.ts'
import type { AgentSpec, Run } from '../loop/types.ts'
import { answersIn, type CalledAnswer } from './answers.ts'
import type { Collaborate } from './collaboration.ts'
import { memberTool, memberToolName } from './member-tool.ts'

/** Each member goes on from what the one before it has answered; the last one's answer is the swarm's. */
export const sequence: Collaborate = (members, history = 'task') => ({
  tools: members.map((member) => memberTool(member, history, { withParts: true })),
  spec: {
    // There are no more steps than members.
    maxSteps: Number.MAX_SAFE_INTEGER,
    async plan(run) {
      const answers = answersIn(run, members)
      const last = answers.at(-1)
      run.progress.soFar = answers.findLast(({ text }) => text !== '')?.text
      if (last && last.status !== 'done') throw failureOf(run, last)
      const next = members[answers.length]
      if (!next) return { answer: last?.text ?? '' }
      const task = await continuing(textOfInput(run.progress), last, members, next)
      return { calls: [{ name: memberToolName(next.id), input: { task } }] }
    },
  },
})

/** The user's words, and what the member before has made of them, as far as there is room for it. */
export async function continuing(
  question: string,
  last: CalledAnswer | undefined,
  members: readonly AgentSpec[],
  next: AgentSpec,
): Promise<string> {
  if (!last) return question
  const name = members.find(({ id }) => id === last.agent)?.name ?? last.agent
  const made = last.status === 'done' ? last.text : `It ${last.status}: ${last.reason ?? 'no reason is known.'}`
  return `${question}\n\n${name} has answered:\n${cutMiddle(made, await roomFor(next))}`
}

/** Of an answer for whom it is passed on to, in tokens: a share of the window, which holds all else too. */
async function roomFor({ chain: { models } }: AgentSpec): Promise<number> {
  const loads = models.map(async (model) => model.load?.())
  await Promise.allSettled(loads)
  const windows = models.map(({ info }) => (info?.contextWindow ?? Number.POSITIVE_INFINITY) / 4)
  return Math.floor(Math.min(limits.toolResultBytes / 4, ...windows))
}

/** What a swarm without a model of its own fails in when a member has failed. */
export function failureOf({ inside }: Run, { callId, agent, status, reason = '' }: CalledAnswer): AgentKitError {
  const cause = inside.failures.get(callId)
  const message = `"${agent}" ${status === 'failed' ? 'failed' : `ended (${status})`}. ${reason}`
  const code = status === 'budget' ? 'budget' : (cause?.code ?? 'tool-error')
  return new AgentKitError(code, message, { cause, ...(cause ? { retryable: cause.retryable } : {}) })
}
