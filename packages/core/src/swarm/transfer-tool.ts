import type { Tool } from '../contracts/tool.ts'
import { type AgentKitError, invalidArgument } from '../data/errors.ts'
import type { AgentSpec } from '../loop/run/types.ts'
import { RunningCall } from '../loop/tools/running-call.ts'
import { withHooksOf } from '../policies/hooks.ts'
import { withTools } from '../tools/toolbox.ts'

const prefix = 'transfer_to_'

export function isTransfer({ name }: { name: string }): boolean {
  return name.startsWith(prefix)
}

function transferName(id: string): string {
  return `${prefix}${id.replaceAll('-', '_')}`
}

/** Whether the handoffs to two members have one name. */
export function hasNameOf(one: AgentSpec, other: AgentSpec): boolean {
  return transferName(one.id) === transferName(other.id)
}

/** @throws AgentKitError `invalid-argument` for a member with a tool that has the name of a handoff, which would be lost */
export function checkTransfers(members: readonly AgentSpec[]): void {
  for (const member of members) {
    const taken = members.find(({ id }) => id !== member.id && member.toolNames.includes(transferName(id)))
    if (taken) throw equalNames(member, transferName(taken.id))
  }
}

function equalNames({ name }: AgentSpec, tool: string): AgentKitError {
  return invalidArgument(
    `A tool of "${name}" is named "${tool}", as the handoff to another member is. Rename the tool.`,
  )
}

/** The tool that hands the conversation over to a member. */
function transferTool({ id, name, description }: AgentSpec): Tool {
  return {
    name: transferName(id),
    description: `Hands the conversation over to ${name}, who continues it.${description ? ` ${description}` : ''}`,
    inputSchema: {
      type: 'object',
      properties: { reason: { type: 'string', description: 'The reason, for the next agent.' } },
      additionalProperties: false,
    },
    idempotent: true,
    execute(_input, context) {
      const { members } = RunningCall.runOf(context)
      if (members.handedTo !== undefined && members.handedTo !== id) {
        throw new Error(`The conversation was already handed over to ${members.handedTo} in this step.`)
      }
      members.handedTo = id
      return `The conversation is handed over to ${name}.`
    },
  }
}

/**
 * The active member of a conversation: its tools include handoffs, its output format is the swarm's, the swarm's hooks run
 * around its own, and it has the swarm's memory unless it has one.
 */
export function withTransfers(member: AgentSpec, others: readonly AgentSpec[], swarm: AgentSpec): AgentSpec {
  const transfers = others.map(transferTool)
  const { outputFormat: _own, ...rest } = member
  const sharedMemory = member.sharedMemory ?? swarm.sharedMemory
  return {
    ...rest,
    ...(swarm.outputFormat ? { outputFormat: swarm.outputFormat } : {}),
    hooks: withHooksOf(swarm.hooks, member.hooks),
    instruction: [member.instruction, transfers.length > 0 ? handoffInstruction(member) : undefined]
      .filter(Boolean)
      .join('\n\n'),
    async tools(run) {
      const { toolBox, warnings } = await member.tools(run)
      // Tools of servers and of clients are known now.
      const taken = transfers.find(({ name }) => toolBox.byName.has(name))
      if (taken) throw equalNames(member, taken.name)
      // Whose tool has the name of one of them has a memory, or something else, of its own.
      const shared = (sharedMemory?.tools ?? []).filter(({ name }) => !toolBox.byName.has(name))
      return { toolBox: await withTools(toolBox, [...shared, ...transfers]), warnings }
    },
    notes: member.notes ?? sharedMemory?.promptNotes?.bind(sharedMemory),
    sharedMemory,
  }
}

function handoffInstruction({ name }: AgentSpec): string {
  return (
    `You are ${name}, one of several agents who share this conversation. Where another one is better placed, hand it ` +
    'over by that tool and say nothing else. Otherwise answer yourself.'
  )
}
