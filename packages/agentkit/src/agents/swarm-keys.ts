import { agentIdFrom, type ToolLike } from '@agentkit/core'
import type { SDKContext } from '../config/sdk-context.ts'

/** Warns of keys in an agent's own table that mean something for swarms, and nothing for it. */
export function warnOfSwarmKeys(
  { name, id }: { name: string; id?: string },
  functions: readonly ToolLike[],
  context: SDKContext,
): void {
  const { agents, path } = context.config
  const table = agents.get(name) ?? agents.get(agentIdFrom(name, id))
  if (!table) return
  const vain = (['agents', 'collaboration', 'history'] as const).filter((key) => table[key] !== undefined)
  for (const key of vain) context.warn(`${path}: \`${key}\` of "${name}" has no effect: it is no swarm.`)
  // A swarm that makes its members by the configuration has given it just those.
  const given = functions.map((one) => one.name).join()
  if (table.tools === undefined || table.tools.join() === given) return
  context.warn(`${path}: \`tools\` of "${name}" has no effect: its functions are given in the code.`)
}
