import type { ToolLike } from '@agentkit/core'
import { invalidConfig, listTools, nearestWord } from '@agentkit/core/internal'
import type { AgentTable } from '../config/config-keys.ts'
import type { SDKContext } from '../config/sdk-context.ts'
import { Agent } from './agent.ts'
import type { AgentOptions } from './options.ts'

/**
 * The members of a swarm without `agents`: those in its table, otherwise all other agents' tables.
 *
 * @param functions of the swarm: each member may call those that its table lists as `tools`
 * @param model of the swarm, if its options or its table have one
 * @throws AgentKitError `invalid-config` for a missing table or function, and when there is no member
 */
export function configAgents(
  swarm: { name: string; id: string },
  settings: AgentTable,
  functions: readonly ToolLike[],
  model: AgentOptions['model'],
  context: SDKContext,
): Agent[] {
  const { agents: tables, defaults, path = 'The configuration' } = context.config
  const isSwarm = (table: string): boolean => table === swarm.name || table === swarm.id
  const names = settings.agents ?? [...tables.keys()].filter((table) => !isSwarm(table))
  if (names.length === 0) {
    throw invalidConfig(
      `The swarm "${swarm.name}" has no agents. Pass \`agents\`, or write a table for each: [research].`,
    )
  }
  return names.map((name) => {
    const table = tables.get(name)
    if (!table || isSwarm(name)) {
      const nearest = nearestWord(name, [...tables.keys()])
      const hint = nearest && !isSwarm(nearest) ? `Did you mean "${nearest}"?` : `Write it: [${name}].`
      throw invalidConfig(`${path}: the swarm's \`agents\` name "${name}", which has no table. ${hint}`)
    }
    // A member without a model uses its swarm's.
    const inherited = model === undefined || (table.model ?? defaults.model) !== undefined ? {} : { model }
    return new Agent({
      name,
      functions: toolsOf(name, table.tools ?? [], functions, path),
      ...inherited,
      sdkContext: context,
    })
  })
}

/**
 * The functions of a swarm that a table lists as `tools`.
 * @throws AgentKitError `invalid-config` for a missing one
 */
export function toolsOf(
  table: string,
  tools: readonly string[],
  functions: readonly ToolLike[],
  path: string = 'The configuration',
): ToolLike[] {
  const all = listTools(functions)
  return tools.map((name) => {
    const found = all.find((one) => one.name === name)
    if (found) return found
    const known = all.map((one) => `"${one.name}"`).join(', ') || 'none'
    throw invalidConfig(
      `${path}: [${table}] names the tool "${name}", which is not a function of its swarm. There are: ${known}.`,
    )
  })
}
