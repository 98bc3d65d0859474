import { readFile } from 'node:fs/promises'
import { openai } from '@agentkit/providers-openai'
import { Agent } from 'agentkit'

const provider = openai({
  apiKey: async () => (await readFile('openai-key.txt', 'utf8')).trim(), // renewed by another process
  headers: () => ({ 'x-request-start': String(Date.now()) }),
})
const agent = new Agent({ name: 'Clerk', functions: [], model: provider.model('gpt-5.6-luna') })
console.log(await agent.chat('Hello'))
