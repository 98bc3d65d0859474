import { Agent } from 'agentkit'
import { daysLeft } from './days-left.ts'

const agent = new Agent({ name: 'Office', functions: [daysLeft], model: 'offline/extractive' })

console.log(await agent.chat('How many days has the employee "ada" left?'))
await agent.close()
