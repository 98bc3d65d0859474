import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/**
 * Stops the servers in a folder and removes it when this process ends, also when it is killed: another process notices
 * that its input has ended.
 */
export function removeWithProcess(folder: string): void {
  const file = fileURLToPath(import.meta.resolve('./remove-servers.mjs'))
  const child = spawn(process.execPath, [file, folder], {
    stdio: ['pipe', 'ignore', 'ignore'],
    // Signals of a terminal to its process group would end it before its work is done.
    detached: true,
    env: { ...process.env, NODE_OPTIONS: '' },
  })
  child.unref()
  // A pipe that keeps this process alive would keep itself open.
  const { stdin } = child as { stdin: typeof child.stdin & { unref?(): void } }
  stdin?.unref?.()
}
