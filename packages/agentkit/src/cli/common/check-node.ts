import type { Command } from 'commander'

/** These commands work on Node 20 too, because they help to install a newer Node. */
const worksAnywhere = new Set(['init', 'doctor', 'docs', 'completion'])

/** @throws AgentKitError `unsupported` on a Node that lacks functions which the other commands need */
export async function checkNode(command: Command): Promise<void> {
  const { parent } = command
  if (parent?.parent) return checkNode(parent)
  if (worksAnywhere.has(command.name())) return
  const { isTooOld, neededNode } = await import('./needed-node.ts')
  const { node } = process.versions
  if (!isTooOld(node)) return
  const { AgentKitError } = await import('@agentkit/core')
  const detail = `agentkit needs Node.js ${neededNode} or later, and this is ${node}.`
  throw new AgentKitError('unsupported', `${detail} Install a newer one: https://nodejs.org`)
}
