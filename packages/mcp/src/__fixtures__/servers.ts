import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ToolContext } from '@agentkit/core'
import type { McpOptions, McpTools } from '../options.ts'

/** A folder for a lock file and a log, which the test removes. */
export function tempFolder(): { folder: string; [Symbol.dispose](): void } {
  const folder = mkdtempSync(join(tmpdir(), 'agentkit-mcp-'))
  return { folder, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) }
}

/** Options for the hostile server, whose processes write their ids to a log. */
export function hostile(name: string, folder: string): McpOptions & { pins: string } {
  const script = join(import.meta.dirname, 'hostile-server.ts')
  return {
    name: 'hostile',
    command: process.execPath,
    args: [script, name, join(folder, 'processes.log')],
    pins: join(folder, 'lock.json'),
    timeoutMs: 20_000,
  }
}

/** Options for a server of the SDK 1.x or 2.x over stdio, whose processes write their ids to a log. */
export function sdkServer(name: 'old' | 'new', folder: string): McpOptions & { pins: string } {
  const script = join(import.meta.dirname, 'sdk-stdio-server.ts')
  return {
    name,
    command: process.execPath,
    args: [script, name, join(folder, 'processes.log')],
    pins: join(folder, 'lock.json'),
  }
}

/** The ids of the processes that a server over stdio has started. */
export function processIds(folder: string): number[] {
  return readFileSync(join(folder, 'processes.log'), 'utf8').split('\n').filter(Boolean).map(Number)
}

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

export const everything = join(
  import.meta.dirname,
  '../../node_modules/@modelcontextprotocol/server-everything/dist/index.js',
)

export function callContext(signal: AbortSignal = new AbortController().signal): ToolContext {
  return { signal, userId: 'ada', runId: 'run_1', callId: 'call_1', idempotencyKey: 'key_1', cite() {} }
}

/** Calls a tool as a run does. */
export async function call(tools: McpTools, name: string, input: unknown = {}, signal?: AbortSignal): Promise<unknown> {
  const tool = tools.find((each) => each.name === name)
  if (!tool) throw new Error(`There is no tool ${name}.`)
  return tool.execute(input, callContext(signal))
}
