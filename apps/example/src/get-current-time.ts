import { type Tool, tool } from 'agentkit'
import { z } from 'zod'

export const getCurrentTime: Tool = tool({
  name: 'getCurrentTime',
  description: 'Tell the current date and time in a time zone.',
  input: z.object({ timeZone: z.string().describe('IANA time zone, for example Europe/Paris') }),
  execute: ({ timeZone }) => {
    const format = new Intl.DateTimeFormat('en-GB', { timeZone, dateStyle: 'full', timeStyle: 'short' })
    return { timeZone, time: format.format(new Date()) }
  },
})
