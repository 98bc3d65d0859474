import { fileURLToPath } from 'node:url'
import { Agent, type AgentOptions, type Model } from '@agentkit/core'
import type { CacheRules, FakeWire } from '@agentkit/testing'
import { anthropic } from '../packages/providers-anthropic/src/index.ts'
import { azure } from '../packages/providers-azure/src/index.ts'
import { gemini } from '../packages/providers-gemini/src/index.ts'
import { openai } from '../packages/providers-openai/src/index.ts'
import { sqliteSessions } from '../packages/sessions/src/index.ts'

/** A provider with the rules of its cache, and a model of it on a fake server. */
export type CachingProvider = { wire: FakeWire; rules: CacheRules; model(url: string): Model }

export const cachingProviders: Record<string, CachingProvider> = {
  'OpenAI by Responses': { wire: 'openai-responses', rules: 'openai', model: (url) => official(url, 'gpt-5.4') },
  'OpenAI by Chat Completions': {
    wire: 'openai-chat',
    rules: 'openai',
    model: (url) => official(url, 'gpt-4.1', 'chat'),
  },
  'GPT-5.6 by Responses': {
    wire: 'openai-responses',
    rules: 'openai-breakpoints',
    model: (url) => official(url, 'gpt-5.6'),
  },
  'GPT-5.6 by Chat Completions': {
    wire: 'openai-chat',
    rules: 'openai-breakpoints',
    model: (url) => official(url, 'gpt-5.6', 'chat'),
  },
  Azure: {
    wire: 'azure',
    rules: 'openai',
    model: (url) => azure({ endpoint: url, apiKey: 'test' }).model('gpt-5.4-mini'),
  },
  Anthropic: { wire: 'anthropic', rules: 'anthropic', model: (url) => claude(url, 'claude-sonnet-5') },
  'Anthropic with bound thinking': {
    wire: 'anthropic',
    rules: 'anthropic',
    model: (url) => claude(url, 'claude-opus-5-5'),
  },
  Gemini: {
    wire: 'gemini',
    rules: 'gemini',
    model: (url) => gemini({ apiKey: 'test', baseURL: url }).model('gemini-3.5-flash'),
  },
}

/** A model on OpenAI's own server, whose requests go to the fake one. */
function official(url: string, id: string, api: 'chat' | 'responses' = 'responses'): Model {
  const redirected: typeof fetch = (input, init) => fetch(String(input).replace('https://api.openai.com/v1', url), init)
  return openai({ apiKey: 'test', api, fetch: redirected }).model(id)
}

function claude(url: string, id: string): Model {
  return anthropic({ apiKey: 'test', baseURL: url }).model(id)
}

const rule = 'Look at each part of the collection before you answer, and name the shelf that it stands on. '

/** An agent with the instruction and the tools of a usual one; `pay` waits for approval. */
export function collector(model: Model, file: string, options: Partial<AgentOptions> = {}): Agent {
  const input = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'], additionalProperties: false }
  const toolOf = (name: string, needsApproval: boolean): NonNullable<AgentOptions['functions']>[number] => ({
    name,
    description: `Acts on a part of the collection. ${rule.repeat(8)}`,
    inputSchema: input,
    ...(needsApproval && { needsApproval }),
    execute: (given: unknown) => `Part ${(given as { n: number }).n}: ${'it stands where it stood. '.repeat(24)}`,
  })
  return new Agent({
    name: 'Collector',
    instruction: rule.repeat(120),
    functions: [toolOf('look', false), toolOf('note', false), toolOf('pay', true)],
    model,
    sessions: sqliteSessions(file),
    maxSteps: 20,
    ...options,
  })
}

/** Resumes a run in this process: `node prompt-caching.ts <provider> <url> <file> <run> <approval>`. */
async function resume([name = '', url = '', file = '', runId = '', approvalId = '']: string[]): Promise<void> {
  const provider = cachingProviders[name]
  if (!provider) throw new Error(`No provider is called "${name}".`)
  const agent = collector(provider.model(url), file)
  const { text, warnings } = await agent.resume(runId, { [approvalId]: true }).result
  await agent.sessions.close()
  console.log(JSON.stringify({ text, warnings }))
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await resume(process.argv.slice(2))
