import { counted, invalidConfig, notice, pinOf } from '@agentkit/core/internal'
import type { Tool as ServerTool } from '@modelcontextprotocol/client'
import type { Era } from './connection.ts'
import { readLocked, writeLocked } from './lock-file.ts'
import type { Server } from './options.ts'

/** How a tool compares with its pin. */
export type PinState = 'pinned' | 'changed' | 'unpinned'

/**
 * Compares tools with their pins by the names that the server has for them, and pins new ones.
 * @param isProduction nothing is written: an unpinned tool ends the run
 * @throws AgentKitError `invalid-config` for a file that is not a lock file
 */
export function checkPins(
  { name, lockFile }: Server,
  tools: readonly ServerTool[],
  { era, isProduction }: { era: Era; isProduction: boolean },
): Map<string, PinState> {
  if (lockFile === undefined) return new Map(tools.map((tool) => [tool.name, 'pinned']))
  const locked = readLocked(lockFile, name)
  const states = new Map(tools.map((tool) => [tool.name, pinState(tool, locked.tools)]))
  if (isProduction) return states
  const added = tools.filter((tool) => states.get(tool.name) === 'unpinned')
  if (added.length === 0 && locked.era === era) return states
  try {
    writeLocked(lockFile, name, (current) => ({ era, tools: { ...current.tools, ...hashesOf(added) } }))
  } catch (cause) {
    throw invalidConfig(`${lockFile} cannot be written. Allow it, or pass another path or false as \`pins\`.`, {
      cause,
    })
  }
  for (const tool of added) states.set(tool.name, 'pinned')
  if (added.length > 0)
    notice(`pinned ${counted(added.length, 'tool')} of the MCP server "${name}" in ${lockFile}. Commit the file.`)
  return states
}

/** Pins the tools as they are now. @returns the names of those whose pin is new or has changed */
export function pinTools({ name, lockFile = '' }: Server, tools: readonly ServerTool[], era: Era): string[] {
  const { tools: pinned } = readLocked(lockFile, name)
  const accepted = tools.filter((tool) => pinState(tool, pinned) !== 'pinned')
  writeLocked(lockFile, name, (current) => ({ era, tools: { ...current.tools, ...hashesOf(accepted) } }))
  return accepted.map((tool) => tool.name)
}

/** The hash of all that a model and the approvals see of a tool. */
export function hashOf({ name, description, inputSchema, annotations }: ServerTool): string {
  return pinOf({ name, description, inputSchema, annotations })
}

function pinState(tool: ServerTool, pinned: Readonly<Record<string, string>>): PinState {
  if (!Object.hasOwn(pinned, tool.name)) return 'unpinned'
  return pinned[tool.name] === hashOf(tool) ? 'pinned' : 'changed'
}

function hashesOf(tools: readonly ServerTool[]): Record<string, string> {
  return Object.fromEntries(tools.map((tool) => [tool.name, hashOf(tool)]))
}
