// Started with a folder by `removeWithProcess`: waits until its input ends, then stops the servers whose data are in the
// folder, and removes it.
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const [folder = ''] = process.argv.slice(2)
process.stdin.resume()
process.stdin.once('end', () => void remove())
process.stdin.once('error', () => void remove())

async function remove() {
  const files = existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name, 'postmaster.pid')) : []
  for (const file of files) {
    if (!existsSync(file)) continue
    const pid = Number.parseInt(readFileSync(file, 'utf8'), 10)
    if (!(pid > 1)) continue
    try {
      process.kill(pid, 'SIGQUIT') // an immediate stop
      for (let tries = 0; tries < 100; tries++) {
        process.kill(pid, 0)
        await sleep(50)
      }
    } catch {
      // The process has ended.
    }
  }
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
}
