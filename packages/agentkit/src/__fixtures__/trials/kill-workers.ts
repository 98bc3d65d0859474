// Kills workers of background runs at random moments under load, and checks what they promise.
// node --conditions=@agentkit/source packages/agentkit/src/__fixtures__/trials/kill-workers.ts [postgres|sqlite] [<kills>] [<runs>] [<seed>]
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { inspect } from 'node:util'
import { loadTrial, type TrialOptions, type TrialReport } from './load-trial.ts'

type KillOptions = Pick<TrialOptions, 'place' | 'seed' | 'runs' | 'thinkMs'> & { kills: number; pauseMs?: number }

export async function killWorkers({ kills, pauseMs = 2_000, ...options }: KillOptions): Promise<TrialReport> {
  return loadTrial({
    ...options,
    async disturb({ workers, random, lose, watchTakeover }) {
      const starting: Promise<unknown>[] = []
      for (let kill = 0; kill < kills; kill++) {
        do await sleep(random() * pauseMs)
        while (workers.running.length < 2)
        const victim = workers.running[Math.floor(random() * workers.running.length)]
        if (!victim) throw new Error('No worker runs.')
        const since = performance.now()
        await workers.kill(victim)
        lose(victim.pid)
        watchTakeover(victim.pid, since)
        starting.push(workers.start(victim.options))
      }
      await Promise.all(starting)
    },
  })
}

if (process.argv[1]?.endsWith('kill-workers.ts')) {
  const [kind = 'postgres', kills = '100', runs = '500', seed = String(Date.now() % 1e6)] = process.argv.slice(2)
  const folder = mkdtempSync(join(tmpdir(), 'agentkit-kills-'))
  const { testDatabase } = await import('@agentkit/test-postgres')
  const place = kind === 'sqlite' ? join(folder, 'sessions.db') : await testDatabase()
  const report = await killWorkers({ place, kills: Number(kills), runs: Number(runs), seed: Number(seed) })
  console.log(inspect({ seed, ...report }, { maxArrayLength: 10 }))
  rmSync(folder, { recursive: true, force: true })
  process.exit()
}
