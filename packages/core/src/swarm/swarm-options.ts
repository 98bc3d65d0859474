import type { AgentBase } from '../agents/agent-base.ts'
import { type AgentOptions, agentOptionNames } from '../agents/agent-options.ts'
import type { Model } from '../contracts/model.ts'
import { invalidArgument } from '../data/errors.ts'
import { checkOptionNames } from '../util/option-names.ts'
import type { MemberHistory } from './member-history.ts'
import type { Route } from './route.ts'

/**
 * How the members of a swarm work together: the swarm's own model gives them tasks (`"manager"`), they hand the
 * conversation over to each other (`"handoff"`), all answer in parallel and the swarm's model combines the answers
 * (`"parallel"`), each continues from the previous answer (`"sequence"`), or a function decides which one is next.
 */
export type Collaboration = 'manager' | 'handoff' | 'parallel' | 'sequence' | Route

/** An agent or a swarm. Swarms may be members of swarms. */
// biome-ignore lint/suspicious/noExplicitAny: members may have any output.
export type Member = AgentBase<any>

export type SwarmOptions<Output = undefined> = Omit<AgentOptions<Output>, 'model' | 'functions'> & {
  /** The members, with unique ids. */
  agents: readonly Member[]
  /** Functions for the swarm's own model; may be empty. */
  functions?: AgentOptions['functions']
  /** The model of the manager, or the one that combines parallel answers. Other collaborations need none. */
  model?: Model | readonly Model[]
  /** Default `"manager"`. */
  collaboration?: Collaboration
  /**
   * What a member sees besides its task: nothing (`"task"`, the default), a summary of the conversation, all of it, its
   * own earlier tasks and answers (`"own"`), or the last messages. With handoffs, members see the whole conversation.
   */
  history?: MemberHistory
}

const swarmOptionNames = {
  ...agentOptionNames,
  agents: true,
  collaboration: true,
  history: true,
} satisfies Record<keyof SwarmOptions, true>

/** Checks at run time what TypeScript checks at compile time. */
export function checkSwarmOptions<Output>(options: SwarmOptions<Output>): void {
  checkOptionNames(options, swarmOptionNames, { code: 'invalid-config' })
  const { agents, collaboration, history, model } = options
  if (!Array.isArray(agents)) throw invalidArgument('Pass `agents`: a list of agents and swarms.')
  const kinds = ['manager', 'handoff', 'parallel', 'sequence']
  const isKnown = collaboration === undefined || typeof collaboration === 'function' || kinds.includes(collaboration)
  if (!isKnown)
    throw invalidArgument(`\`collaboration\` is "${kinds.join('", "')}", or a function that returns the next member.`)
  const last = typeof history === 'object' && history !== null ? history.last : undefined
  if (last !== undefined) checkOptionNames(history as object, { last: true }, { code: 'invalid-config', of: 'history' })
  const isHistory = history === undefined || ['task', 'summary', 'full', 'own'].includes(history as string)
  if (!isHistory && !(Number.isInteger(last) && (last as number) > 0)) {
    throw invalidArgument('`history` is "task", "summary", "full", "own" or { last: 6 }, a number of messages.')
  }
  if (collaboration === 'handoff' && history !== undefined && history !== 'full') {
    throw invalidArgument('With `collaboration: "handoff"` members see the whole conversation: leave `history` out.')
  }
  if (model === undefined && needsModel(collaboration)) {
    throw invalidArgument(
      `Pass \`model\`: it ${collaboration === 'parallel' ? 'combines the answers' : 'manages the agents'}.`,
    )
  }
}

/** One sentence for each option that has no effect, as the swarm calls no model of its own. */
export function unusedOptions<Output>({
  name,
  collaboration,
  instruction,
  functions = [],
}: SwarmOptions<Output>): string[] {
  if (needsModel(collaboration)) return []
  const given = { instruction: Boolean(instruction), functions: functions.length > 0 }
  const kind =
    typeof collaboration === 'function' ? 'a function as `collaboration`' : `\`collaboration: "${collaboration}"\``
  return Object.entries(given).flatMap(([option, isGiven]) =>
    isGiven ? [`\`${option}\` of the swarm "${name}" has no effect with ${kind}: give it to the members.`] : [],
  )
}

export function needsModel(collaboration: Collaboration = 'manager'): boolean {
  return collaboration === 'manager' || collaboration === 'parallel'
}
