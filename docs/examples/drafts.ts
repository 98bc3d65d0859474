import { Agent } from 'agentkit'
import { z } from 'zod'

const Step = z.object({ name: z.string(), minutes: z.number() })

export const agent = new Agent({
  name: 'Planner',
  functions: [],
  model: 'openai/gpt-5.4-mini',
  output: z.object({ title: z.string(), steps: z.array(Step) }),
})

/** Shows a plan while it is written. */
export async function showPlan(question: string, show: (text: string) => void): Promise<void> {
  for await (const { title, steps = [] } of agent.stream(question).partials()) {
    show(`${title ?? ''}: ${steps.map(({ name = '' }) => name).join(', ')}`)
  }
}

/** Begins each step as soon as it is written. */
export async function begin(question: string, start: (step: z.infer<typeof Step>) => void): Promise<void> {
  for await (const step of agent.stream(question).elements('steps')) start(step)
}
