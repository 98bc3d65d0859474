import { type Contestant, echoTool, systemPrompt } from '../contestant.ts'
import { importPeer } from '../peers.ts'

/** The part of pi that is used. */
type PiAgent = {
  state: { messages: { content: { text?: string }[] }[]; errorMessage?: string }
  subscribe(listener: (event: PiEvent) => void): () => void
  prompt(text: string): Promise<void>
}
type PiEvent =
  | { type: 'message_update'; assistantMessageEvent: { type: string; delta?: string } }
  | { type: 'tool_execution_end' | 'agent_end' }
type Models = { setProvider(provider: object): void; streamSimple(...call: unknown[]): unknown }
type Core = { Agent: new (options: object) => PiAgent }
type AI = { createModels(): Models; createProvider(options: object): object }
type API = { openAICompletionsApi(): object }

const { Agent } = (await importPeer('@earendil-works/pi-agent-core/dist/index.js')) as Core
const { createModels, createProvider } = (await importPeer('@earendil-works/pi-ai/dist/index.js')) as AI
const api = (await importPeer('@earendil-works/pi-ai/dist/api/openai-completions.lazy.js')) as API

/** A peer: pi, used as its documentation shows. An agent holds one conversation, and streams always. */
export function setup(baseURL: string): Contestant {
  const { name, description, parameters } = echoTool.function
  const execute = async (_: string, { text }: { text: string }) => ({ content: [{ type: 'text', text }], details: {} })
  const tools = [{ name, label: name, description, parameters, execute }]
  const models = createModels()
  const auth = { apiKey: { name: 'Bench', resolve: async () => ({ auth: { apiKey: 'test' } }) } }
  const provider = { id: 'bench', name: 'Bench', baseUrl: baseURL, auth, models: [], api: api.openAICompletionsApi() }
  models.setProvider(createProvider(provider))
  const streamFn = models.streamSimple.bind(models)
  const modelOf = (id: string): object => ({
    ...{ id, name: id, api: 'openai-completions', provider: 'bench', baseUrl: baseURL, reasoning: false },
    ...{ input: ['text'], cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 } },
    ...{ contextWindow: 1_000_000, maxTokens: 100_000 },
  })
  const create = (model: string): PiAgent =>
    new Agent({ initialState: { systemPrompt, model: modelOf(model), tools }, streamFn })
  const sessions = new Map<string, PiAgent>()
  return {
    construct: (model) => void create(model),
    async run({ model, prompt, session, onDelta }) {
      const agent = sessions.get(session ?? '') ?? create(model)
      if (session) sessions.set(session, agent)
      let toolCalls = 0
      const unsubscribe = agent.subscribe((event) => {
        if (event.type === 'tool_execution_end') toolCalls++
        if (event.type !== 'message_update') return
        const { type, delta = '' } = event.assistantMessageEvent
        if (type === 'text_delta') onDelta?.(delta)
      })
      await agent.prompt(prompt)
      unsubscribe()
      const { messages, errorMessage } = agent.state
      if (errorMessage) throw new Error(errorMessage)
      const text =
        messages
          .at(-1)
          ?.content.map((part) => part.text ?? '')
          .join('') ?? ''
      return { text, toolCalls }
    },
  }
}
