import type { AgentBase } from '../agents/agent-base.ts'
import { type AgentOptions, agentRules, checkSettingsOnce } from '../agents/agent-options.ts'
import type { Model } from '../contracts/model.ts'
import { invalidArgument } from '../data/errors.ts'
import { isRecord } from '../data/message-problem.ts'
import type { AgentSpec } from '../loop/run/types.ts'
import {
  checkOptionNames,
  checkOptions,
  isCount,
  isFunction,
  isOneOf,
  type OptionRules,
} from '../util/options/check-options.ts'
import { swarmWords } from '../util/options/foreign-words.ts'
import { nearestWord } from '../util/text/nearest-word.ts'
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

/** What a swarm is: its members, how they work together, and the limits of its runs. */
export type SwarmOptions<Output = undefined> = Omit<AgentOptions<Output>, 'model'> & {
  /** The members, with unique ids. */
  agents: readonly Member[]
  /** The model of the manager, or the one that combines parallel answers. Other collaborations need none. */
  model?: Model | readonly Model[] | undefined
  /** Default `"manager"`. */
  collaboration?: Collaboration | undefined
  /**
   * What a member sees besides its task: nothing (`"task"`, the default), a summary of the conversation, all of it, its
   * own earlier tasks and answers (`"own"`), or the last messages. With handoffs, members see the whole conversation.
   */
  history?: MemberHistory | undefined
}

export const collaborations: readonly Exclude<Collaboration, Route>[] = ['manager', 'handoff', 'parallel', 'sequence']
export const histories: readonly Extract<MemberHistory, string>[] = ['task', 'summary', 'full', 'own']

const swarmRules = {
  ...agentRules,
  agents: { is: 'a list of agents and swarms', holds: Array.isArray },
  collaboration: checkCollaboration,
  history: checkMemberHistory,
} satisfies OptionRules<SwarmOptions>

/** What other libraries call the kinds of collaboration. */
const foreignKinds: ReadonlyMap<unknown, string> = new Map([
  ['supervisor', 'manager'],
  ['hierarchical', 'manager'],
  ['orchestrator', 'manager'],
  ['sequential', 'sequence'],
  ['pipeline', 'sequence'],
  ['concurrent', 'parallel'],
  ['swarm', 'handoff'],
])

function checkCollaboration(value: unknown): void {
  if (isFunction.holds(value) || isOneOf(collaborations).holds(value)) return
  const meant = foreignKinds.get(value) ?? (typeof value === 'string' ? nearestWord(value, collaborations) : undefined)
  const hint = meant ? ` Did you mean "${meant}"?` : ''
  throw invalidArgument(
    `\`collaboration\` is ${isOneOf(collaborations).is}, or a function that returns the next member.${hint}`,
  )
}

/** @throws AgentKitError `invalid-argument` for an option that does not exist or cannot be used, with the fix */
export function checkSwarmOptions<Output>(options: SwarmOptions<Output>): void {
  checkOptions(options, swarmRules, { words: swarmWords })
  checkSettingsOnce(options)
  const { agents, collaboration, history, model } = options
  if (agents === undefined) throw invalidArgument('Pass `agents`: a list of agents and swarms.')
  if (collaboration === 'handoff' && history !== undefined && history !== 'full') {
    throw invalidArgument('With `collaboration: "handoff"` members see the whole conversation: leave `history` out.')
  }
  if (model === undefined && needsModel(collaboration)) {
    throw invalidArgument(
      `Pass \`model\`: it ${collaboration === 'parallel' ? 'combines the answers' : 'manages the agents'}.`,
    )
  }
}

function checkMemberHistory(history: MemberHistory): void {
  if (isOneOf(histories).holds(history)) return
  if (isRecord(history)) checkOptionNames(history, { last: true }, { code: 'invalid-argument', of: 'history' })
  if (isRecord(history) && isCount.holds(history.last)) return
  throw invalidArgument('`history` is "task", "summary", "full", "own" or { last: 6 }, a number of messages.')
}

/** One sentence for each option that has no effect, as the swarm calls no model of its own. */
export function unusedOptions<Output>(options: SwarmOptions<Output>): string[] {
  const { name, collaboration, instruction, functions = [], memory, clientTools } = options
  if (needsModel(collaboration)) return []
  // The conversation that is handed over is the swarm's, and so is its memory.
  const isIneffective = memory !== undefined && collaboration !== 'handoff'
  const given = { instruction: Boolean(instruction), functions: functions.length > 0, memory: isIneffective }
  const kind =
    typeof collaboration === 'function' ? 'a function as `collaboration`' : `\`collaboration: "${collaboration}"\``
  const why = (option: string): string => `\`${option}\` of the swarm "${name}" has no effect with ${kind}`
  const unused = Object.entries(given).flatMap(([option, isGiven]) =>
    isGiven ? [`${why(option)}: give it to the members.`] : [],
  )
  return clientTools
    ? [...unused, `${why('clientTools')}: tools of the client go to a swarm's own model, and it calls none.`]
    : unused
}

/** One sentence for each option of a member that has no effect, as the conversation of a handoff is the swarm's. */
export function unusedByHandoff(members: readonly AgentSpec[], hasOutput: boolean): string[] {
  return members.flatMap(({ name, hooks, outputFormat }) => {
    const given = {
      'The hook `input`': hooks.input !== undefined,
      '`output`': outputFormat !== undefined && !hasOutput,
    }
    return Object.entries(given).flatMap(([option, isGiven]) =>
      isGiven
        ? [`${option} of the member "${name}" has no effect with \`collaboration: "handoff"\`: give it to the swarm.`]
        : [],
    )
  })
}

export function needsModel(collaboration: Collaboration = 'manager'): boolean {
  return collaboration === 'manager' || collaboration === 'parallel'
}
