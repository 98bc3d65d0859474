import { office } from './office.ts'

const runs = await office.enqueueMany(
  ['ada', 'kim', 'lin'].map((userId) => ({
    input: `How many days of holiday has the employee "${userId}" left, and when do they expire?`,
    userId,
  })),
)
console.log(`${runs.length} runs are stored. From here on, this process may end.`)

for (const { runId } of runs) {
  const { finishReason, text, sources } = await office.result(runId)
  console.log(
    finishReason,
    text,
    sources.map(({ file }) => file),
  )
}
await office.close()
