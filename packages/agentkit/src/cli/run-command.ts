import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { AgentKitError } from '@agentkit/core'

/**
 * Runs a command in this terminal until it ends, whatever this process is told meanwhile.
 *
 * @param variables are added to the environment; `undefined` takes one away
 * @returns its exit code
 * @throws AgentKitError `invalid-argument` when it cannot be started
 */
export function runCommand(
  [program = '', ...words]: readonly string[],
  variables: Record<string, string | undefined>,
): Promise<number> {
  return new Promise((resolve, reject) => {
    // On Windows npm and its like are scripts of the shell.
    const shell = process.platform === 'win32'
    const child = spawn(program, words, { stdio: 'inherit', env: { ...process.env, ...variables }, shell })
    // The terminal tells both, and the command may have something to finish.
    const wait = (): void => {}
    const end = (): void => void child.kill('SIGTERM')
    process.on('SIGINT', wait).on('SIGTERM', end)
    const stop = (): void => void process.off('SIGINT', wait).off('SIGTERM', end)
    child.on('error', (cause: NodeJS.ErrnoException) => {
      stop()
      reject(new AgentKitError('invalid-argument', `"${program}" cannot be run: ${cause.code}.`, { cause }))
    })
    child.on('close', (code, signal) => {
      stop()
      resolve(code ?? 128 + (signal ? constants.signals[signal] : 0))
    })
  })
}
