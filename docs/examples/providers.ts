import { Agent } from '@agentkit/core'
import { anthropic } from '@agentkit/providers-anthropic'
import { gemini } from '@agentkit/providers-gemini'
import { ollama } from '@agentkit/providers-ollama'

const claude = anthropic().model('claude-sonnet-5') // ANTHROPIC_API_KEY
const flash = gemini().model('gemini-3.5-flash', { idleTimeoutMs: 20_000 }) // GEMINI_API_KEY
const local = ollama({ serverUrl: 'http://127.0.0.1:11434' }).model('qwen3:8b')

// Fallback: when a model fails, the next one continues in the middle of the run.
const agent = new Agent({
  name: 'Guide',
  functions: [],
  model: [claude, flash, local],
  modelSettings: { reasoning: 'low', maxOutputTokens: 2000 },
})

const { text, usage, cost, warnings } = await agent.stream([
  { type: 'text', text: 'What is in this picture?' },
  { type: 'image', data: new URL('https://example.com/harbour.jpg') },
]).result
console.log(text, usage.cachedInputTokens, cost?.usd, warnings)
