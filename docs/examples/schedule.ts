import { Agent } from 'agentkit'

const writer = new Agent({
  name: 'Writer',
  functions: [],
  model: 'offline/extractive', // or your model: 'openai/gpt-5.4-mini'
  sessions: 'agentkit-data/sessions.db',
})

await writer.schedule(
  'digest',
  { cron: '0 7 * * 1-5', timeZone: 'Europe/Berlin', missed: 'once' },
  'Write the digest of yesterday.',
  { userId: 'ann', sessionId: 'digest' },
)
for (const { name, cron, next } of await writer.schedules()) console.log(name, cron, next)
await writer.unschedule('digest')
await writer.close()
