import { dirname, resolve } from 'node:path'
import type { McpOptions } from '@agentkit/mcp'
import type { Config } from '../config/config.ts'
import type { McpTable } from '../config/config-keys.ts'
import { definedOnly } from '../util/defined-only.ts'
import { withVariables, withVariablesIn } from '../util/with-variables.ts'

/**
 * The options of a server of the configuration, with variables of the environment in `url`, `env` and `headers`.
 * @throws AgentKitError `invalid-config` for a variable that is not set
 */
export function mcpOptions(name: string, table: McpTable, { path }: Config): McpOptions {
  const { url, env, headers, args, tools, needs_approval, pins, timeout_ms, command, cwd, prefix } = table
  const folder = path === undefined ? '.' : dirname(path)
  const place = `${path}: [mcp.${name}]`
  return {
    name,
    ...definedOnly({ command, cwd, prefix, args, tools }),
    ...definedOnly({ needsApproval: needs_approval, timeoutMs: timeout_ms, url: url && withVariables(url, place) }),
    ...(env && { env: withVariablesIn(env, place) }),
    ...(headers && { headers: withVariablesIn(headers, place) }),
    pins: pins === false ? false : resolve(folder, pins ?? 'agentkit-mcp.lock.json'),
  }
}
