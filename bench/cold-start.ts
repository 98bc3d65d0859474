import type { Setup } from './contestant.ts'

/**
 * A fresh process: imports one thing, constructs an agent where there is one, and reports the time. With an address it
 * runs once too, and reports what the process took from its beginning on.
 */
const [subject = '', baseURL] = process.argv.slice(2)
// Shared by the contestants: stripping its types takes longer than loading some packages.
await import('./contestant.ts')
const startedAt = performance.now()
const cpuBefore = process.cpuUsage()
if (subject === 'core') {
  await import('@agentkit/core')
} else {
  const { setup } = (await import(`./contestants/${subject}.ts`)) as { setup: Setup }
  const contestant = setup(baseURL ?? 'http://127.0.0.1:9/v1')
  contestant.construct('work-1-20')
  if (baseURL) {
    let received = ''
    const { text, toolCalls } = await contestant.run({
      ...{ model: 'work-1-20', prompt: 'Do the work.' },
      onDelta(delta) {
        received += delta
      },
    })
    if (text.length !== 100 || toolCalls !== 1 || (subject !== 'agentkit-package' && received !== text)) {
      throw new Error(`A run gave ${toolCalls} tool calls, ${received.length} of ${text.length} characters.`)
    }
  }
}
const cpu = process.cpuUsage(baseURL ? undefined : cpuBefore)
process.send?.({
  units: 1,
  cpuMs: (cpu.user + cpu.system) / 1000,
  // The time origin is the start of the process.
  wallMs: performance.now() - (baseURL ? 0 : startedAt),
  peakMb: process.resourceUsage().maxRSS / 1024,
})
