import type { Tool } from '../contracts/tool.ts'
import { ownTool } from './define-tool.ts'

/** The servers of tools, which are called by their protocol. */
const servers = new WeakMap<Tool, string>()

/** Marks a tool as one that a server outside of the process executes. @internal */
export function serverTool(tool: Tool, server: string): Tool {
  servers.set(tool, server)
  return ownTool(tool)
}

/** The name of the server that executes a tool; `undefined` for a tool of this process. */
export function serverOf(tool: Tool): string | undefined {
  return servers.get(tool)
}
