import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { buildPackages } from '@agentkit/test-build'

export type ServerProcess = { child: ChildProcess; url: string; exit: Promise<unknown[]> }

type StartOptions = {
  script?: string
  values?: readonly string[]
  /** Shell commands that limit the process. */
  limit?: string
}

/** Starts a script of this folder, which loads the other packages as they are built, on the files `sessions.db` and `effects` of a folder. */
export async function startServer(
  folder: string,
  port: number,
  delayMs: number,
  { script = 'durable-server.ts', values: more = [], limit = '' }: StartOptions = {},
): Promise<ServerProcess> {
  await buildPackages()
  const file = fileURLToPath(new URL(`./${script}`, import.meta.url))
  const values = [join(folder, 'sessions.db'), join(folder, 'effects'), String(port), String(delayMs), ...more]
  const words = [process.execPath, '--no-warnings', file, ...values]
  const [command = '', ...rest] = limit === '' ? words : ['sh', '-c', `${limit} exec "$@"`, 'sh', ...words]
  const child = spawn(command, rest, {
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
