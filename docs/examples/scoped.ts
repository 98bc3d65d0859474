import { Agent } from '@agentkit/core'
import { openai } from '@agentkit/providers-openai'
import { serve } from '@agentkit/server'

const provider = openai({ baseURL: 'http://127.0.0.1:11434/v1' }) // any OpenAI-compatible server
const agent = new Agent({ name: 'Local', functions: [], model: provider.model('qwen3') })

const server = await serve(agent, { port: 8000 })
console.log(server.url)
