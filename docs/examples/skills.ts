import { skills } from '@agentkit/skills'
import { Agent } from 'agentkit'

export const clerk = new Agent({
  name: 'Clerk',
  functions: [skills('./skills', { always: ['house-style'] })],
  model: 'openai/gpt-5.4-mini',
})
