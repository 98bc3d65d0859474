import { Agent, tool } from 'agentkit'

const publish = tool({
  name: 'publish',
  description: 'Publishes a report.',
  input: { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] },
  needsApproval: true,
  execute: ({ title }) => `"${title}" is published.`,
})

const writer = new Agent({
  name: 'Writer',
  functions: [publish],
  model: 'offline/extractive', // or your model: 'openai/gpt-5.4-mini'
  sessions: 'agentkit-data/sessions.db',
  onRunEnd: ({ runId, status }) => console.log(runId, status),
})

// In this process, or in any other that shares the sessions.
const worker = await writer.work({ concurrency: 10 })

// Stored when it resolves: from here on the run will end or wait, whichever process dies.
const { runId } = await writer.enqueue('Publish the report "Q3".', {
  userId: 'ann',
  sessionId: 'q3',
  idempotencyKey: 'publish-q3', // a second call is the same run
})

const { finishReason, approvals } = await writer.result(runId, { userId: 'ann' })
if (finishReason === 'approval') {
  // Later, perhaps weeks later, and in another process.
  const decisions = Object.fromEntries(approvals.map(({ approvalId }) => [approvalId, true as const]))
  await writer.decide(runId, decisions, { userId: 'ann', by: 'bob' })
}
for await (const event of writer.follow(runId)) console.log(event.seq, event.type)
console.log((await writer.result(runId)).text)

await worker.close()
await writer.close()
