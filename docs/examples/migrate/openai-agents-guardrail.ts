import { Agent } from 'agentkit'

const agent = new Agent({
  name: 'Tutor',
  model: 'openai/gpt-5.4-mini',
  hooks: {
    input: ({ content }) => (JSON.stringify(content).includes('homework') ? { block: 'I do no homework.' } : undefined),
  },
})

const { finishReason, text } = await agent.stream('Do my homework.').result
console.log(finishReason, text)
