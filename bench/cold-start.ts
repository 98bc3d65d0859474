import type { Setup } from './contestant.ts'

/** A fresh process: imports one thing, constructs an agent where there is one, and reports the time. */
const [subject = ''] = process.argv.slice(2)
const startedAt = performance.now()
const cpuBefore = process.cpuUsage()
if (subject === 'core') {
  await import('@agentkit/core')
} else {
  const { setup } = (await import(`./contestants/${subject}.ts`)) as { setup: Setup }
  setup('http://127.0.0.1:9/v1').construct('work-1-1')
}
const cpu = process.cpuUsage(cpuBefore)
process.send?.({
  units: 1,
  cpuMs: (cpu.user + cpu.system) / 1000,
  wallMs: performance.now() - startedAt,
  peakMb: process.resourceUsage().maxRSS / 1024,
})
