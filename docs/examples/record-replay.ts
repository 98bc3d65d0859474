import { record, replay } from '@agentkit/testing'
import { Agent, type ModelRequest, tool } from 'agentkit'
import { z } from 'zod'

const weather = tool({
  name: 'weather',
  description: 'Tells the weather of a city.',
  input: z.object({ city: z.string() }),
  execute: ({ city }) => `12 °C and rain in ${city}`,
})

const file = 'test/weather.cassette'

/** The date in the instruction changes every day: requests are compared without it. */
function normalize(request: ModelRequest): ModelRequest {
  return { ...request, messages: request.messages.filter(({ role }) => role !== 'system') }
}

/** The real model if `RECORD` is set; otherwise its recorded answers. */
async function model() {
  if (!process.env.RECORD) return replay(file, { normalize })
  const { openai } = await import('@agentkit/providers-openai')
  return record(openai().model('gpt-5.4-mini'), file, { normalize })
}

const agent = new Agent({
  name: 'Guide',
  instruction: `Answer briefly. Today is ${new Date().toDateString()}.`,
  functions: [weather],
  model: await model(),
  sessions: ':memory:',
})
console.log(await agent.chat('Do I need an umbrella in Oslo?'))
