import { Agent, workflow } from 'agentkit'
import { z } from 'zod'

const writer = new Agent({ name: 'Writer', model: 'openai/gpt-5.4-mini' })
const critic = new Agent({
  name: 'Critic',
  instruction: 'You improve a text, and say whether it is ready.',
  model: 'openai/gpt-5.4-mini',
  output: z.object({ text: z.string(), isReady: z.boolean() }),
})

const report = workflow<{ topic: string }>({ name: 'Report' })
  .step(writer, { ask: ({ topic }) => `Write about ${topic}.` })
  .step((text) => ({ text, isReady: false }))
  .loop(critic, { until: ({ isReady }) => isReady, maxIterations: 3 })

const { text } = await report.run({ topic: 'Tides' })
console.log(text)
