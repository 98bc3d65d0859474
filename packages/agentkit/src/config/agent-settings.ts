import { agentIdFrom, invalidArgument, invalidConfig } from '@agentkit/core/internal'
import type { Config } from './config.ts'
import { type AgentTable, reservedTables } from './config-keys.ts'

/**
 * An agent's settings: `[defaults]`, overridden key by key by its own table. Sample prompts that neither has come from
 * `[sample_prompts]`.
 *
 * @throws AgentKitError `invalid-argument` when the id is a reserved table name
 * @throws AgentKitError `invalid-config` when one table has the agent's name and another its id
 */
export function agentSettings(config: Config, agent: { name: string; id: string }): AgentTable {
  if (reservedTables.includes(agent.id)) {
    throw invalidArgument(
      `The id "${agent.id}" is reserved: [${agent.id}] has another meaning in the configuration. Pass another \`id\`.`,
    )
  }
  const own = ownTables(config, agent)
  if (own.length > 1) {
    throw invalidConfig(
      `${config.path}: ["${agent.name}"] and [${agent.id}] both belong to one agent. Merge the two tables.`,
    )
  }
  const { prompts } = config.samplePrompts
  return { ...(prompts && { sample_prompts: prompts }), ...config.defaults, ...own[0] }
}

/** The id of an agent that has the name of a table; the name where that makes no id, as code may set another one. */
export function idOfTable(name: string): string {
  try {
    return agentIdFrom(name)
  } catch {
    return name
  }
}

/** The tables of agents that no agent has taken. */
export function strayTables(config: Config, taken: ReadonlySet<string>): string[] {
  return [...config.agents.keys()].filter((table) => !taken.has(table))
}

function ownTables(config: Config, { name, id }: { name: string; id: string }): AgentTable[] {
  return [...new Set([name, id])].flatMap((table) => config.agents.get(table) ?? [])
}
