import { reporter } from './report-agents.ts'

const quarters = Array.from({ length: 40 }, (_, index) => `Q${(index % 4) + 1}`)
const runs = await reporter.enqueueMany(
  quarters.map((quarter) => ({ input: `What was the revenue of ${quarter}?`, userId: 'ann' })),
)
console.log(`${runs.length} runs are stored. From here on, this process may end.`)

const results = await Promise.all(runs.map(({ runId }) => reporter.result(runId)))
console.log(`${results.length} runs have ended:`, new Set(results.map(({ finishReason }) => finishReason)))
await reporter.close()
