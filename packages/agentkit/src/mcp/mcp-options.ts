import { dirname, resolve } from 'node:path'
import { invalidConfig } from '@agentkit/core/internal'
import type { McpOptions } from '@agentkit/mcp'
import type { Config } from '../config/config.ts'
import type { McpTable } from '../config/config-keys.ts'
import { definedOnly } from '../util/defined-only.ts'

/**
 * The options of a server of the configuration, with variables of the environment in `url`, `env` and `headers`.
 * @throws AgentKitError `invalid-config` for a variable that is not set
 */
export function mcpOptions(name: string, table: McpTable, { path }: Config): McpOptions {
  const { url, env, headers, args, tools, needs_approval, pins, timeout_ms, command, cwd, prefix } = table
  const folder = path === undefined ? '.' : dirname(path)
  const expand = (text: string): string => withVariables(text, name, path)
  return {
    name,
    ...definedOnly({ command, cwd, prefix, args, tools }),
    ...definedOnly({ needsApproval: needs_approval, timeoutMs: timeout_ms, url: url && expand(url) }),
    ...(env && { env: expandAll(env, expand) }),
    ...(headers && { headers: expandAll(headers, expand) }),
    pins: pins === false ? false : resolve(folder, pins ?? 'agentkit-mcp.lock.json'),
  }
}

function expandAll(texts: Readonly<Record<string, string>>, expand: (text: string) => string): Record<string, string> {
  return Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, expand(text)]))
}

function withVariables(text: string, server: string, path: string | undefined): string {
  return text.replace(/\$\{([A-Za-z_]\w*)\}/g, (_, variable: string) => {
    const value = process.env[variable]
    if (value !== undefined) return value
    throw invalidConfig(`${path}: [mcp.${server}] names \${${variable}}, which is not set. Set ${variable}.`)
  })
}
