import { AgentKitError } from '@agentkit/core'

const name = '@modelcontextprotocol/server'

/**
 * Imports a module that imports the SDK of MCP, which only those have installed who serve it.
 * @throws AgentKitError `missing-package` with the command that installs it
 */
export async function loadMCP<Module>(importModule: () => Promise<Module>): Promise<Module> {
  try {
    return await importModule()
  } catch (cause) {
    if (!isMissing(cause)) throw cause
    throw new AgentKitError('missing-package', `MCP needs the package ${name}. Run: npm i ${name}`, { cause })
  }
}

/** Whether the SDK itself is missing, and not a package that it depends on. */
function isMissing(cause: unknown): boolean {
  const isUnknown = cause instanceof Error && 'code' in cause && cause.code === 'ERR_MODULE_NOT_FOUND'
  return isUnknown && cause.message.includes(`'${name}'`)
}
