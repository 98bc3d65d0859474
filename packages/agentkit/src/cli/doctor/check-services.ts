import type { McpTable } from '../../config/config-keys.ts'
import { mcpOptions } from '../../mcp/mcp-options.ts'
import { serveOptions } from '../../serve/serve-agent.ts'
import { importMcp, importTelemetry } from '../../util/import-optional.ts'
import { type CheckResult, merged, type Project } from './project.ts'

/** How long a server of MCP may take to answer, within the bound of the check. */
const mcpMs = 5_000

/** The servers of MCP: whether they can be connected, and have the tools that are pinned. Nothing is pinned. */
export async function checkMcp({ config, isOffline }: Project): Promise<CheckResult> {
  if (config.mcp.size === 0) return { status: 'skipped', detail: 'No server of MCP is configured.' }
  const servers = [...config.mcp].filter(([, { url }]) => !isOffline || url === undefined)
  if (servers.length === 0) return { status: 'skipped', detail: 'Not asked, because of --offline.' }
  const findings = await Promise.all(servers.map(([name, table]) => serverFinding(name, table, config)))
  return merged(findings, { status: 'ok', detail: 'The servers of MCP answer.' })
}

async function serverFinding(name: string, table: McpTable, config: Project['config']): Promise<CheckResult> {
  const { checkServer, inspectServer } = await importMcp()
  const timeoutMs = Math.min(table.timeout_ms ?? mcpMs, mcpMs)
  try {
    const server = checkServer({ ...mcpOptions(name, table, config), timeoutMs })
    const { tools, changed, unpinned, warnings } = await inspectServer(server)
    const fix = `npx agentkit tools pins accept ${name}`
    if (changed.length > 0) {
      return { status: 'fail', detail: `[mcp.${name}] has changed ${changed.join(', ')} since they were pinned.`, fix }
    }
    if (unpinned.length > 0)
      return { status: 'warn', detail: `[mcp.${name}] has tools without a pin: ${unpinned.join(', ')}.`, fix }
    if (warnings.length > 0) return { status: 'warn', detail: warnings.join(' ') }
    return { status: 'ok', detail: `[mcp.${name}] answers, with ${tools} tools.` }
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error)
    const status = table.required === false ? 'warn' : 'fail'
    return { status, detail: `[mcp.${name}]: ${detail}`, fix: `Correct [mcp.${name}] in agentkit_config.toml.` }
  }
}

/** The options of the server, and whether its port is free. */
export async function checkServer({ config }: Project): Promise<CheckResult> {
  const { checkOptions, portProblem } = await import('@agentkit/server/internal')
  const environment = config.defaults.environment ?? process.env.NODE_ENV
  let settings: ReturnType<typeof checkOptions>
  try {
    settings = checkOptions(serveOptions({}, config, environment === 'production'))
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error)
    return { status: 'fail', detail, fix: 'Correct [server] in agentkit_config.toml.' }
  }
  const { host, port, cors, auth } = settings
  const problem = port === 0 ? undefined : await portProblem(host, port)
  if (problem !== undefined)
    return { status: 'fail', detail: problem, fix: `Set port = ${port + 1} in [server], or stop the other server.` }
  if (cors !== undefined && auth === undefined && config.server.cors_origins?.includes('*')) {
    const detail = 'Every web page may call the server, without a token.'
    return { status: 'warn', detail, fix: 'Set auth_tokens_env in [server], or name the pages in cors_origins.' }
  }
  return { status: 'ok', detail: `${host}, port ${port} is free.` }
}

/** Checks that the endpoint accepts exports, if the configuration turns telemetry on. */
export async function checkTelemetry({ config, isOffline }: Project, signal: AbortSignal): Promise<CheckResult> {
  if (config.defaults.telemetry === undefined) return { status: 'skipped', detail: 'No telemetry is configured.' }
  const { inspectOtlp } = await importTelemetry()
  return merged(await inspectOtlp(process.env, { isOffline, signal }), { status: 'ok', detail: 'Nothing is exported.' })
}
