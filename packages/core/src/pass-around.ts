import { startDeadline } from './deadline.ts'
import { abortError, isAgentKitError } from './errors.ts'
import type { RunFinishReason } from './event.ts'
import { createGuard } from './guard.ts'
import { insideOf } from './inside.ts'
import { createLedger, type Ledger } from './ledger.ts'
import { memberStatus } from './member-status.ts'
import { type AgentSpec, type Run, type RunScope, readyRun, stateOf } from './open-run.ts'
import { compileTools } from './run-tools.ts'
import type { Tool } from './tool.ts'
import { toolCalls } from './transcript.ts'

/** Whom a conversation can be handed to. */
export type Handoffs = {
  members: ReadonlyMap<string, AgentSpec>
  /** Who has it first. */
  first: string
}

/** The tool by which the conversation is handed to a member. */
export function transferTool({ id, name, description }: AgentSpec): Tool {
  return {
    name: `transfer_to_${id.replaceAll('-', '_')}`,
    description: `Hands the conversation over to ${name}, who goes on with it.${description ? ` ${description}` : ''}`,
    inputSchema: {
      type: 'object',
      properties: { reason: { type: 'string', description: 'Why, for whoever reads on.' } },
      additionalProperties: false,
    },
    execute(_input, context) {
      const inside = insideOf(context)
      if (inside.handedTo !== undefined && inside.handedTo !== id) {
        throw new Error(`The conversation has been handed to ${inside.handedTo} already, in this same step.`)
      }
      inside.handedTo = id
      return `The conversation is handed over to ${name}.`
    },
  }
}

/**
 * Lets the members of a swarm hand one conversation to each other, until one of them ends it.
 *
 * @param takeSteps runs the one who has the conversation, until it answers or hands on
 * @param outer those outside, whom every member may hand on to as well
 */
export async function passAround(
  opened: Run,
  takeSteps: (run: Run, outer: readonly AgentSpec[]) => Promise<RunFinishReason>,
  outer: readonly AgentSpec[] = [],
): Promise<RunFinishReason> {
  const { agent, scope, turn, progress, ledger } = opened
  const { members, first } = agent.handoffs as Handoffs // who calls has looked
  const guard = createGuard(agent.guard)
  let waiting = opened.waiting
  let active = waiting?.active?.[opened.at.length] ?? rememberedActive(opened) ?? first
  if (!members.has(active)) active = first

  for (let handoffs = 1; ; handoffs++) {
    const member = members.get(active) as AgentSpec // it has just been looked up
    const others = [...members.values(), ...outer].filter((other) => other !== member)
    const begun = progress.messages.length
    const emit: RunScope['emit'] = (event, path = []) => scope.emit(event, [member.id, ...path])
    const inScope: RunScope = { ...scope, emit }
    const deadline = startDeadline(scope.end, member.timeoutMs)
    await emit({ type: 'agent-start', name: member.name })
    let to: string | undefined
    try {
      const session = { turn, scope: inScope, moved: false, ...(waiting ? { waiting } : {}) }
      const spec = withTransfers(member, others, agent)
      const run = await readyRun(spec, session, progress, bookOf(member, ledger), [...opened.at, member.id])
      const reason = await takeSteps(run, others)
      to = run.inside.handedTo
      const end = to === undefined ? memberStatus(reason, progress.reply.text) : { status: 'done' as const }
      if (to !== undefined) await emit({ type: 'handoff', to })
      await emit({ type: 'agent-end', name: member.name, ...end })
      if (to === undefined) {
        // Who cannot hand on does not keep the conversation. What waits is stored already.
        if (reason !== 'approval') await remember(opened, member.plan ? first : active)
        return reason
      }
    } catch (error) {
      await emit({ type: 'agent-end', name: member.name, ...endOf(error, scope.signal) })
      throw error
    } finally {
      deadline.stop()
    }
    waiting = undefined
    if (!members.has(to)) {
      opened.inside.handedTo = to
      return 'stop'
    }
    guard.beginStep(1)
    guard.finished({ name: `${active} → ${to}`, input: doneBy(progress.messages.slice(begun)) }, handedOver)
    if (guard.stalled !== undefined) return stopped(opened, 'no-progress', roundAndRound(active, to))
    if (handoffs >= agent.maxSteps) return stopped(opened, 'max-steps', tooOften(agent))
    active = to
    await remember(opened, active)
  }
}

const handedOver = { content: 'handed over', isError: false }

function stopped({ progress }: Run, reason: RunFinishReason, why: string): RunFinishReason {
  progress.warnings.push(why)
  return reason
}

function roundAndRound(one: string, other: string): string {
  return `"${one}" and "${other}" handed the conversation to each other again and again, and did nothing else.`
}

function tooOften({ maxSteps }: AgentSpec): string {
  return `The conversation was handed on ${maxSteps} times. Raise the swarm's \`maxSteps\` if it needs more.`
}

/** What was done beside handing on: its calls, not its words, which differ whenever a model says the same. */
function doneBy(messages: Run['progress']['messages']): unknown {
  return messages
    .flatMap((message) => (message.role === 'assistant' ? toolCalls(message) : []))
    .filter(({ name }) => !name.startsWith('transfer_to_'))
    .map(({ name, input }) => [name, input])
}

function endOf(error: unknown, signal: AbortSignal): { status: 'failed' | 'aborted' | 'budget'; reason: string } {
  const cause = signal.aborted ? abortError(signal) : error
  const reason = isAgentKitError(cause) ? cause.message : 'It failed.'
  const code = isAgentKitError(cause) ? cause.code : ''
  return { status: code === 'aborted' || code === 'budget' ? code : 'failed', reason }
}

/** Who had the conversation when the last run ended. */
function rememberedActive({ turn, inside }: Run): string | undefined {
  const { active } = stateOf(turn)
  if (typeof active !== 'object' || active === null || Array.isArray(active)) return undefined
  const known = active[inside.lane]
  return typeof known === 'string' ? known : undefined
}

async function remember({ turn, inside }: Run, active: string): Promise<void> {
  const state = stateOf(turn)
  const known = typeof state.active === 'object' && !Array.isArray(state.active) ? state.active : {}
  await turn.append([], { ...state, active: { ...known, [inside.lane]: active } })
}

/** A member with its own budget has a book of its own beside the run's. Whoever waits, the run's clock stands still. */
function bookOf({ budget, prices }: AgentSpec, run: Ledger): Ledger {
  const own = createLedger({ budget, prices, parent: run })
  return {
    ...own,
    get cost() {
      return run.cost
    },
    get isPaused() {
      return run.isPaused
    },
    pause() {
      own.pause()
      return run.pause()
    },
    resume(booked) {
      own.resume()
      run.resume(booked)
    },
  }
}

/** The member as one who may hand on: it has the others' tools, and the form of the answer is the swarm's. */
function withTransfers(member: AgentSpec, others: readonly AgentSpec[], swarm: AgentSpec): AgentSpec {
  const transfers = others.map(transferTool)
  const { outputFormat: _own, ...rest } = member
  return {
    ...rest,
    ...(swarm.outputFormat ? { outputFormat: swarm.outputFormat } : {}),
    instruction: [member.instruction, transfers.length > 0 ? handingOn(member) : undefined]
      .filter(Boolean)
      .join('\n\n'),
    async tools(signal) {
      const { toolBox, warnings } = await member.tools(signal)
      const own = transfers.filter(({ name }) => !toolBox.byName.has(name))
      const { specs, byName } = await compileTools(new Map(own.map((tool) => [tool.name, tool])))
      return {
        toolBox: { ...toolBox, specs: [...toolBox.specs, ...specs], byName: new Map([...toolBox.byName, ...byName]) },
        warnings,
      }
    },
  }
}

function handingOn({ name }: AgentSpec): string {
  return (
    `You are ${name}, one of several agents who share this conversation. Where another one is better placed, hand it ` +
    'over by that tool and say nothing else. Otherwise answer yourself.'
  )
}
