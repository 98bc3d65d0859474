import { type ChildProcess, fork, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'

/** A child that answers each message with one message. */
export type Child = {
  /** The first message that it sent. */
  first: unknown
  pid: number | undefined
  ask<Answer>(message: unknown): Promise<Answer>
  stop(): void
  /** Resolves when it has exited. */
  ended: Promise<unknown>
}

export async function startChild(file: string, ...parameters: string[]): Promise<Child> {
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), parameters, {
    env: { ...process.env, NODE_ENV: 'production', NODE_OPTIONS: '' },
  })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  const first = await answerOf(child, file)
  return {
    first,
    pid: child.pid,
    ended,
    async ask<Answer>(message: unknown) {
      const answer = answerOf(child, file)
      child.send(message as object)
      // The child is our own code, which answers in this shape.
      return (await answer) as Answer
    },
    stop: () => void child.kill('SIGKILL'),
  }
}

async function answerOf(child: ChildProcess, file: string): Promise<unknown> {
  const answered = new AbortController()
  const { signal } = answered
  const ended = once(child, 'exit', { signal }).then(([code]) => {
    throw new Error(`${file} ended with code ${code}.`)
  })
  const [message] = await Promise.race([once(child, 'message', { signal }), ended])
  ended.catch(() => {})
  answered.abort()
  if (message && typeof message === 'object' && 'error' in message) throw new Error(String(message.error))
  return message
}

/**
 * Lets a process run on one core only, where there are two and `taskset` is installed.
 * @returns lets this process run on all cores again
 */
export function pinToCore(pid: number | undefined, core: number): () => void {
  const taskset = (cores: string, of: number | undefined): void =>
    void spawnSync('taskset', ['--all-tasks', '--cpu-list', '--pid', cores, String(of)], { stdio: 'ignore' })
  const last = availableParallelism() - 1
  if (last > 0) taskset(String(core), pid)
  return () => taskset(`0-${last}`, process.pid)
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2
}

/** The peak memory of each running child process, in MB. Linux only. */
export function peaksOfChildren(): number[] {
  const task = `/proc/${process.pid}/task/${process.pid}/children`
  if (!existsSync(task)) return []
  return readFileSync(task, 'utf8')
    .split(' ')
    .flatMap((pid) => {
      try {
        const peak = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${Number(pid)}/status`, 'utf8'))?.[1]
        return peak === undefined ? [] : Number(peak) / 1024
      } catch {
        // The process has exited.
        return []
      }
    })
}
