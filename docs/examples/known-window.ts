import { Agent } from '@agentkit/core'
import { openai } from '@agentkit/providers-openai'

const qwen = openai({ baseURL: 'http://127.0.0.1:8080/v1' }).model('qwen3')

export const agent = new Agent({
  name: 'Local',
  functions: [],
  model: { ...qwen, info: { contextWindow: 32_768, maxOutputTokens: 4_096 } },
})
