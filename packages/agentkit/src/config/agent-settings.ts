import { AgentKitError } from '@agentkit/core'
import type { Config } from './config.ts'
import { type AgentTable, reservedTables } from './config-keys.ts'

/**
 * What the configuration says of an agent: its own table over `[defaults]`, key by key. Sample prompts that neither
 * has come from `[sample_prompts]`.
 *
 * @throws AgentKitError `invalid-argument` when the id is the name of a table that is not an agent's
 * @throws AgentKitError `invalid-config` when one table has the agent's name and another its id
 */
export function agentSettings(config: Config, agent: { name: string; id: string }): AgentTable {
  if (reservedTables.includes(agent.id)) {
    throw new AgentKitError(
      'invalid-argument',
      `No agent may have the id "${agent.id}": [${agent.id}] means something else in the configuration. Pass another \`id\`.`,
    )
  }
  const own = ownTables(config, agent)
  if (own.length > 1) {
    throw new AgentKitError(
      'invalid-config',
      `${config.path}: ["${agent.name}"] and [${agent.id}] are both tables of one agent. Make them one.`,
    )
  }
  const { prompts } = config.samplePrompts
  return { ...(prompts && { sample_prompts: prompts }), ...config.defaults, ...own[0] }
}

/** The names of the tables that no agent among these has by its name or id. */
export function strayTables(config: Config, agents: Iterable<{ name: string; id: string }>): string[] {
  const known = new Set([...agents].flatMap(({ name, id }) => [name, id]))
  return [...config.agents.keys()].filter((table) => !known.has(table))
}

function ownTables(config: Config, { name, id }: { name: string; id: string }): AgentTable[] {
  return [...new Set([name, id])].flatMap((table) => config.agents.get(table) ?? [])
}
