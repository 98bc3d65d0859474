import { AgentKitError } from '@agentkit/core'
import { isPackageMissing } from '@agentkit/core/internal'

type SDK = typeof import('@modelcontextprotocol/server')

const name = '@modelcontextprotocol/server'
let loaded: SDK | undefined

/**
 * Imports the SDK of MCP, which only those have installed who serve it.
 * @throws AgentKitError `missing-package` with the command that installs it
 */
export async function loadMCP(importSDK?: () => Promise<SDK>): Promise<void> {
  try {
    // `await import()` of a name, within `try`: a bundler takes the SDK if it is installed, and otherwise does without.
    loaded = importSDK ? await importSDK() : await import('@modelcontextprotocol/server')
  } catch (cause) {
    if (!isPackageMissing(cause, name)) throw cause
    throw new AgentKitError('missing-package', `MCP needs the package ${name}. Run: npm i ${name}`, { cause })
  }
}

/** The SDK that `loadMCP` has imported. */
export function mcpSDK(): SDK {
  if (!loaded) throw new Error('The SDK of MCP is used before it is loaded.')
  return loaded
}
