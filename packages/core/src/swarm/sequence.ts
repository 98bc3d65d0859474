import { cutMiddle } from '../conversation/summary-prompt.ts'
import { AgentKitError } from '../data/errors.ts'
import { textOfInput } from '../data/transcript.ts'
import { limits } from '../limits.ts'
import type { AgentSpec, Run } from '../loop/run/types.ts'
import { memberToolName } from '../runs/driver/member-run.ts'
import { answersIn, type CalledAnswer, lastText } from './answers.ts'
import type { Collaborate } from './collaboration.ts'
import { memberTool } from './member-tool.ts'

/** Each member continues from the previous answer. The last answer is the swarm's. */
export const sequence: Collaborate = (members, history = 'task') => ({
  tools: members.map((member) => memberTool(member, history, { withParts: true })),
  spec: {
    // The number of members bounds the steps.
    maxSteps: Number.MAX_SAFE_INTEGER,
    membersAnswer: (run) => lastText(answersIn(run, members)),
    async plan(run) {
      const answers = answersIn(run, members)
      const last = answers.at(-1)
      if (last && last.status !== 'done') throw memberError(run, last)
      const next = members[answers.length]
      if (!next) return { answer: last?.text ?? '' }
      const task = await taskFrom(textOfInput(run.state), last, members, next)
      return { calls: [{ name: memberToolName(next.id), input: { task } }] }
    },
  },
})

/** The user's message with the previous answer, cut to what fits the next member's model. */
export async function taskFrom(
  question: string,
  last: CalledAnswer | undefined,
  members: readonly AgentSpec[],
  next: AgentSpec,
): Promise<string> {
  if (!last) return question
  const name = members.find(({ id }) => id === last.agent)?.name ?? last.agent
  // The reason may be a text of a model or a tool, and clients see the task.
  if (last.status !== 'done') return `${question}\n\n${name} has given no answer (${last.status}).`
  return `${question}\n\n${name} has answered:\n${cutMiddle(last.text, await roomFor(next))}`
}

/** Tokens for the previous answer: a quarter of the smallest context window. */
async function roomFor({ chain: { models } }: AgentSpec): Promise<number> {
  const loads = models.map(async (model) => model.load?.())
  await Promise.allSettled(loads)
  const windows = models.map(({ info }) => (info?.contextWindow ?? Number.POSITIVE_INFINITY) / 4)
  return Math.floor(Math.min(limits.toolResultBytes / 4, ...windows))
}

/** The error of a swarm without a model whose member has failed. */
export function memberError({ members }: Run, { callId, agent, status, reason = '' }: CalledAnswer): AgentKitError {
  const cause = members.failures.get(callId)
  const message = `"${agent}" ${status === 'failed' ? 'failed' : `ended (${status})`}. ${reason}`
  const code = status === 'budget' ? 'budget' : (cause?.code ?? 'tool-error')
  return new AgentKitError(code, message, { cause, ...(cause ? { retryable: cause.retryable } : {}) })
}
