import { Agent, workflow } from 'agentkit'
import { z } from 'zod'

const researcher = new Agent({ name: 'Researcher', functions: [], model: 'openai/gpt-5.4-mini' })
const critic = new Agent({ name: 'Critic', functions: [], model: 'openai/gpt-5.4-mini' })
const writer = new Agent({ name: 'Writer', functions: [], model: 'openai/gpt-5.4' })
const editor = new Agent({
  name: 'Editor',
  instruction: 'You improve a text, and say whether it is ready to be printed.',
  functions: [],
  model: 'openai/gpt-5.4',
  output: z.object({ text: z.string(), isReady: z.boolean() }),
})

const report = workflow<{ topic: string; words: number }>({ name: 'Report', budget: { usd: 0.5, seconds: 300 } })
  .step(({ topic }) => topic.trim())
  .parallel({ facts: researcher, doubts: critic })
  .step('draft', writer, {
    ask: ({ facts, doubts }, { input }) => `${input.words} words.\nFacts: ${facts}\nDoubts: ${doubts}`,
  })
  .step((text) => ({ text, isReady: false }))
  .loop(editor, { until: ({ isReady }) => isReady, maxIterations: 3 })
  .branch(
    ({ text }) => text.startsWith('#'),
    ({ text }) => text,
    ({ text }) => `# Report\n\n${text}`,
  )

const text = await report.run({ topic: 'Tides', words: 300 }) // a string: all of this is type-checked
console.log(text)

const run = report.stream({ topic: 'Fjords', words: 200 }, { timeoutMs: 60_000 })
for await (const { path, ...event } of run) {
  if (event.type === 'agent-start') console.log(path.join(' > ')) // report > editor
}
const { output, cost, warnings } = await run.result
console.log(output, cost, warnings)
