import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

export type ServerProcess = { child: ChildProcess; url: string; exit: Promise<unknown[]> }

/** Starts a script of this folder on the files `sessions.db` and `effects` of a folder. */
export async function startServer(
  folder: string,
  port: number,
  delayMs: number,
  { script = 'durable-server.ts', values: more = [] }: { script?: string; values?: readonly string[] } = {},
): Promise<ServerProcess> {
  const file = fileURLToPath(new URL(`./${script}`, import.meta.url))
  const values = [join(folder, 'sessions.db'), join(folder, 'effects'), String(port), String(delayMs), ...more]
  const child = spawn(process.execPath, ['--conditions=@agentkit/source', '--no-warnings', file, ...values], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_OPTIONS: '' },
  })
  const exit = once(child, 'exit')
  const output = createInterface({ input: child.stdout })
  const [url] = await once(output, 'line')
  return { child, url, exit }
}

/** A port that was free a moment ago: a server that is started again has the same. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  return typeof address === 'object' && address !== null ? address.port : 0
}
