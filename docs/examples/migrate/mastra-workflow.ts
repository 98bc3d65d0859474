import { Agent, workflow } from 'agentkit'

const writer = new Agent({ name: 'Writer', model: 'openai/gpt-5.4-mini' })

const report = workflow<{ topic: string }>({ name: 'Report' })
  .step('ask', writer, { ask: ({ topic }) => `Write about ${topic}.` })
  .step('shorten', (text) => text.slice(0, 280))

const text = await report.run({ topic: 'Tides' })
console.log(text)
