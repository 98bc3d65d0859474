import { Agent } from 'agentkit'
import { daysLeft } from '../02-tool/days-left.ts'

const agent = new Agent({
  name: 'Office',
  functions: [daysLeft],
  model: 'offline/extractive',
  sessions: 'agentkit-data/office.db',
})

const server = await agent.run({ port: Number(process.env.PORT ?? 8000) })
console.log(`Open ${server.url} in a browser, or call it by curl.`)
