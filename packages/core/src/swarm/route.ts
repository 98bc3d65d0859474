import { type AgentKitError, invalidConfig } from '../data/errors.ts'
import type { Message } from '../data/message.ts'
import { textOfInput } from '../data/transcript.ts'
import type { AgentSpec, PlannedCall } from '../loop/run/types.ts'
import { memberToolName } from '../runs/driver/member-run.ts'
import { redactedError } from '../util/text/redact.ts'
import { answersIn, lastText, type MemberAnswer } from './answers.ts'
import type { Collaborate } from './collaboration.ts'
import { memberTool } from './member-tool.ts'
import { memberError, taskFrom } from './sequence.ts'

/** What a routing function receives. */
export type SwarmState = {
  /** The user's message. */
  readonly input: string
  /** The conversation before it. */
  readonly history: readonly Message[]
  /** The answers of members in this run, in the order of their calls. */
  readonly answers: readonly MemberAnswer[]
  /** The last answer; `undefined` at the first call. */
  readonly last: MemberAnswer | undefined
  /** The ids of the members. */
  readonly agents: readonly string[]
}

/**
 * A member's id, or its id with a task. Without a task it receives the user's message and the last answer; of a member
 * that gave none, its status.
 */
export type NextMember = string | { agent: string; task: string }

/** The next member, or several in parallel. Nothing, once a member has answered, ends the run with the last answer. */
export type Next = NextMember | readonly NextMember[] | undefined | null

/** A user's routing function. */
export type Route = (state: SwarmState) => Next | Promise<Next>

/** A function decides which members run next. */
export function routed(route: Route): Collaborate {
  return (members, history = 'task') => ({
    tools: members.map((member) => memberTool(member, history, { withParts: true })),
    spec: {
      membersAnswer: (run) => lastText(answersIn(run, members)),
      async plan(run) {
        const { turn, state } = run
        const called = answersIn(run, members)
        const answers = called.map(({ callId: _, ...answer }) => answer)
        const input = textOfInput(state)
        const agents = members.map(({ id }) => id)
        const given = { input, history: turn.history, answers, last: answers.at(-1), agents }
        const next = [(await callRoute(route, given)) ?? []].flat()
        const last = called.at(-1)
        if (next.length === 0) {
          if (!last) throw noMember(agents)
          if (last.status !== 'done') throw memberError(run, last)
          return { answer: last.text }
        }
        const defaultTask = (member: AgentSpec): Promise<string> => taskFrom(input, last, members, member)
        return { calls: await Promise.all(next.map((one) => callOf(one, defaultTask, members))) }
      },
    },
  })
}

async function callRoute(route: Route, state: SwarmState): Promise<Next> {
  try {
    return await route(state)
  } catch (cause) {
    throw redactedError(cause, 'tool-error', "The swarm's `collaboration` function failed:")
  }
}

function noMember(agents: readonly string[]): AgentKitError {
  return invalidConfig(
    "The swarm's `collaboration` function returned nothing at its first call, so no member has answered. Return the id " +
      `of a member (${agents.map((id) => `"${id}"`).join(', ')}), { agent, task }, or a list of these.`,
  )
}

async function callOf(
  next: NextMember,
  defaultTask: (member: AgentSpec) => Promise<string>,
  members: readonly AgentSpec[],
): Promise<PlannedCall> {
  // A user's function may return anything.
  const agent = typeof next === 'string' ? next : next?.agent
  const member = members.find(({ id }) => id === agent)
  if (!member) {
    const given = typeof agent === 'string' ? `named "${agent}"` : `returned ${describe(next)}`
    const known = members.map(({ id }) => `"${id}"`).join(', ')
    const message = `The swarm's \`collaboration\` function ${given}, which is not a member. There are: ${known}.`
    throw invalidConfig(message)
  }
  const task = typeof next === 'string' ? await defaultTask(member) : next.task
  if (typeof task !== 'string' || task.trim() === '') {
    throw invalidConfig(`The swarm's \`collaboration\` function gave "${agent}" no task.`)
  }
  return { name: memberToolName(member.id), input: { task } }
}

function describe(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value)
  return `an object without the id \`agent\` (it has: ${Object.keys(value).join(', ') || 'nothing'})`
}
