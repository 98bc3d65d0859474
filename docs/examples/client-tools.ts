import { Agent, tool } from 'agentkit'
import { z } from 'zod'

const locate = tool({
  name: 'locate',
  description: 'The city in which the user is. Ask for it only if the answer depends on it.',
  input: z.object({}),
  output: z.object({ city: z.string() }), // what the client may answer; without it, any JSON
  client: true,
})

export const agent = new Agent({ name: 'Guide', functions: [locate], model: 'openai/gpt-5.4-mini' })

/** @param cityOf asks the device of the user; `undefined` when the user does not allow it */
export async function answer(question: string, cityOf: () => Promise<string | undefined>): Promise<string> {
  const run = agent.stream(question)
  for await (const event of run) {
    if (event.type !== 'approval-request') continue
    const city = await cityOf()
    if (city === undefined) run.deny(event.approvalId, 'The user does not share the location.')
    else await run.answer(event.approvalId, { city })
  }
  const { text, error } = await run.result
  if (error) throw error
  return text
}
