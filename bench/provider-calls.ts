import type { Message, Model, ModelRequest, ToolSpec } from '@agentkit/core'

/** One streamed call of a provider; returns the text. */
export type Call = (question: string) => Promise<string>

export type ProviderBench = {
  wire: string
  /** The official SDK's call, its deltas added up by hand. */
  sdk(url: string): Promise<Call>
  agentkit(url: string): Promise<Model>
}

const apiKey = 'test'
const earlier = [
  ['user', 'How is the weather in Oslo?'],
  ['assistant', 'It is sunny in Oslo, with a light wind from the west.'],
  ['user', 'And in Rome?'],
  ['assistant', 'It rains in Rome, and it will rain tomorrow too.'],
] as const
const weather: ToolSpec = {
  name: 'weather',
  description: 'Tells the weather of a city.',
  inputSchema: {
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
    additionalProperties: false,
  },
}
const system = 'You are a test agent.'

/** The request to agentkit, the same as to each SDK. */
export function requestOf(question: string): ModelRequest {
  const turns = [...earlier, ['user', question] as const]
  const messages = turns.map(([role, text]): Message => {
    return role === 'user' ? { role, content: text } : { role, content: [{ type: 'text', text }] }
  })
  return { messages: [{ role: 'system', content: system }, ...messages], tools: [weather], maxOutputTokens: 4000 }
}

const turns = (question: string) =>
  [...earlier, ['user', question] as const].map(([role, content]) => ({ role, content }))
const chatBody = (question: string) => ({
  messages: [{ role: 'system' as const, content: system }, ...turns(question)],
  tools: [
    {
      type: 'function' as const,
      function: { name: weather.name, description: weather.description, parameters: weather.inputSchema },
    },
  ],
  stream: true as const,
})

/** Each provider, by its name. The SDKs are called as in their documentation. */
export const providers: Readonly<Record<string, ProviderBench>> = {
  openai: {
    wire: 'openai-responses',
    async sdk(baseURL) {
      const { OpenAI } = await import('openai')
      const client = new OpenAI({ apiKey, baseURL })
      return async (question) => {
        let text = ''
        const tools = [
          {
            type: 'function' as const,
            name: weather.name,
            description: weather.description,
            parameters: weather.inputSchema,
            strict: true,
          },
        ]
        const body = {
          model: 'gpt-4.1',
          instructions: system,
          input: turns(question),
          tools,
          max_output_tokens: 4000,
          stream: true as const,
        }
        for await (const event of await client.responses.create(body)) {
          if (event.type === 'response.output_text.delta') text += event.delta
        }
        return text
      }
    },
    async agentkit(baseURL) {
      const { openai } = await import('@agentkit/providers-openai')
      return openai({ apiKey, baseURL, api: 'responses' }).model('gpt-4.1')
    },
  },
  azure: {
    wire: 'azure',
    async sdk(endpoint) {
      const { AzureOpenAI } = await import('openai')
      const client = new AzureOpenAI({ apiKey, endpoint, apiVersion: '2025-04-01-preview' })
      return async (question) => {
        let text = ''
        const body = {
          model: 'gpt-4.1',
          ...chatBody(question),
          max_tokens: 4000,
          stream_options: { include_usage: true },
        }
        for await (const { choices } of await client.chat.completions.create(body))
          text += choices[0]?.delta?.content ?? ''
        return text
      }
    },
    async agentkit(endpoint) {
      const { azure } = await import('@agentkit/providers-azure')
      return azure({ apiKey, endpoint }).model('gpt-4.1')
    },
  },
  anthropic: {
    wire: 'anthropic',
    async sdk(baseURL) {
      const { Anthropic } = await import('@anthropic-ai/sdk')
      const client = new Anthropic({ apiKey, baseURL })
      return async (question) => {
        let text = ''
        const schema = { ...weather.inputSchema, type: 'object' as const }
        const tools = [{ name: weather.name, description: weather.description, input_schema: schema }]
        const body = {
          model: 'claude-sonnet-5',
          system,
          messages: turns(question),
          tools,
          max_tokens: 4000,
          stream: true as const,
        }
        for await (const event of await client.messages.create(body)) {
          if (event.type === 'content_block_delta' && event.delta.type === 'text_delta') text += event.delta.text
        }
        return text
      }
    },
    async agentkit(baseURL) {
      const { anthropic } = await import('@agentkit/providers-anthropic')
      return anthropic({ apiKey, baseURL }).model('claude-sonnet-5')
    },
  },
  mistral: {
    wire: 'mistral',
    async sdk(serverURL) {
      const { Mistral } = await import('@mistralai/mistralai')
      const client = new Mistral({ apiKey, serverURL })
      return async (question) => {
        let text = ''
        const body = { model: 'mistral-medium-latest', ...chatBody(question), maxTokens: 4000 }
        for await (const { data } of await client.chat.stream(body)) {
          const content = data.choices[0]?.delta.content
          if (typeof content === 'string') text += content
        }
        return text
      }
    },
    async agentkit(baseURL) {
      const { mistral } = await import('@agentkit/providers-mistral')
      return mistral({ apiKey, baseURL }).model('mistral-medium-latest')
    },
  },
  groq: {
    wire: 'groq',
    async sdk(baseURL) {
      const { Groq } = await import('groq-sdk')
      const client = new Groq({ apiKey, baseURL })
      return async (question) => {
        let text = ''
        const body = { model: 'llama-3.3-70b-versatile', ...chatBody(question), max_completion_tokens: 4000 }
        for await (const { choices } of await client.chat.completions.create(body))
          text += choices[0]?.delta.content ?? ''
        return text
      }
    },
    async agentkit(baseURL) {
      const { groq } = await import('@agentkit/providers-groq')
      return groq({ apiKey, baseURL }).model('llama-3.3-70b-versatile')
    },
  },
  gemini: {
    wire: 'gemini',
    async sdk(baseUrl) {
      const { GoogleGenAI } = await import('@google/genai')
      const client = new GoogleGenAI({ apiKey, vertexai: false, httpOptions: { baseUrl } })
      return async (question) => {
        let text = ''
        const contents = turns(question).map(({ role, content }) => ({
          role: role === 'user' ? role : 'model',
          parts: [{ text: content }],
        }))
        const functionDeclarations = [
          { name: weather.name, description: weather.description, parametersJsonSchema: weather.inputSchema },
        ]
        const config = { systemInstruction: system, tools: [{ functionDeclarations }], maxOutputTokens: 4000 }
        for await (const chunk of await client.models.generateContentStream({
          model: 'gemini-2.5-flash',
          contents,
          config,
        })) {
          for (const part of chunk.candidates?.[0]?.content?.parts ?? []) text += part.text ?? ''
        }
        return text
      }
    },
    async agentkit(baseURL) {
      const { gemini } = await import('@agentkit/providers-gemini')
      return gemini({ apiKey, baseURL }).model('gemini-2.5-flash')
    },
  },
  ollama: {
    wire: 'ollama',
    async sdk(host) {
      const { Ollama } = await import('ollama')
      const client = new Ollama({ host })
      return async (question) => {
        let text = ''
        const { messages, tools, stream } = chatBody(question)
        const body = { model: 'qwen3:8b', messages, tools, stream, options: { num_predict: 4000 } }
        for await (const { message } of await client.chat(body)) text += message.content
        return text
      }
    },
    async agentkit(serverUrl) {
      const { ollama } = await import('@agentkit/providers-ollama')
      return ollama({ serverUrl }).model('qwen3:8b')
    },
  },
}
