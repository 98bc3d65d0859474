import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

type Program = { command: string; args: readonly string[]; cwd: string; env?: Record<string, string>; url: string }

/**
 * Starts a program and waits until it answers at `url`.
 * @returns ends it by SIGTERM; resolves to its exit code, or the signal that ended it
 */
export async function start({ command, args, cwd, env, url }: Program): Promise<() => Promise<unknown>> {
  const child = spawn(command, args, { cwd, env: { ...process.env, ...env }, stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text) => {
    said += text
  })
  while (!(await answers(url))) {
    if (child.exitCode !== null) throw new Error(`${command} ended with ${child.exitCode}: ${said}`)
    await sleep(25)
  }
  return () => stop(child)
}

async function stop(child: ChildProcess): Promise<unknown> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode ?? child.signalCode
  child.kill('SIGTERM')
  const [code, signal] = await once(child, 'exit')
  return code ?? signal
}

async function answers(url: string): Promise<boolean> {
  try {
    await (await fetch(url)).text()
    return true
  } catch {
    return false
  }
}

/** A port for a program that cannot report the one that it took. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // of TCP
  server.close()
  return port
}

export function isInstalled(command: string, argument = '--version'): boolean {
  return spawnSync(command, [argument]).status === 0
}
