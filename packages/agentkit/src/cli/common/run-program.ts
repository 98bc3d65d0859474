import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { isatty } from 'node:tty'
import { invalidArgument } from '@agentkit/core/internal'
import { startOfCommand } from './start-of-command.ts'

/**
 * Runs a command in this terminal until it ends. Signals to this process do not end the wait.
 *
 * @param variables are added to the environment; `undefined` removes one
 * @param options.folder in which it runs; default: this one
 * @param options.onMessage receives messages that the program sends by `process.send`, and a function that ends it
 * @returns its exit code
 * @throws AgentKitError `invalid-argument` when the command cannot be started
 */
export function runProgram(
  command: readonly string[],
  variables: Record<string, string | undefined>,
  { folder, onMessage }: { folder?: string; onMessage?(message: unknown, end: () => void): void } = {},
): Promise<number> {
  return new Promise((resolve, reject) => {
    const { program, words, shell } = startOfCommand(command)
    const child = spawn(program, words, {
      stdio: onMessage ? ['inherit', 'inherit', 'inherit', 'ipc'] : 'inherit',
      env: { ...process.env, ...variables },
      shell,
      ...(folder !== undefined && { cwd: folder }),
    })
    // A terminal sends SIGINT to both processes, and the command may need time to finish.
    const isOnTerminal = [0, 1, 2].some(isatty)
    const interrupt = (): void => void (isOnTerminal || child.kill('SIGINT'))
    const forward = (): void => void child.kill('SIGTERM')
    // A watcher of Node ends its program at SIGTERM, and leaves it alone at SIGHUP.
    process.on('SIGINT', interrupt).on('SIGTERM', forward).on('SIGHUP', forward)
    const removeListeners = (): void =>
      void process.off('SIGINT', interrupt).off('SIGTERM', forward).off('SIGHUP', forward)
    if (onMessage) child.on('message', (message) => onMessage(message, forward))
    child.on('error', (cause: NodeJS.ErrnoException) => {
      removeListeners()
      reject(invalidArgument(`"${command[0]}" cannot be started: ${cause.code}.`, { cause }))
    })
    child.on('close', (code, signal) => {
      removeListeners()
      resolve(code ?? 128 + (signal ? constants.signals[signal] : 0))
    })
  })
}
