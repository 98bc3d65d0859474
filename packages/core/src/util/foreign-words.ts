/**
 * What AI SDK, OpenAI Agents, Mastra and LangGraph call our options, with the answer that names ours. An answer that is
 * one word is the name of our option.
 */
export type ForeignWords = Readonly<Record<string, string>>

const swarm = '`new Swarm({ name, agents: […] })`'
const session = '`sessionId` of a run: agent.chat("…", { sessionId: "ada" }); `sessions` is the store'
const withSettings = (name: string): string => `\`modelSettings: { ${name} }\``

/** Words for the options of `new Agent` and `new Swarm`. */
export const agentWords: ForeignWords = {
  tools: 'functions',
  toolsets: 'functions',
  actions: 'functions',
  system: 'instruction',
  instructions: 'instruction',
  prompt: 'instruction',
  systemPrompt: 'instruction',
  system_prompt: 'instruction',
  systemMessage: 'instruction',
  messageModifier: 'instruction',
  stateModifier: 'instruction',
  llm: 'model',
  modelName: 'model',
  languageModel: 'model',
  fallbackModels: '`model`, a list: model: [first, next]',
  maxTurns: 'maxSteps',
  maxIterations: 'maxSteps',
  recursionLimit: 'maxSteps',
  stopWhen: '`maxSteps`, and `budget` for tokens, dollars and seconds',
  checkpointer: session,
  checkpointSaver: session,
  session,
  sessionId: session,
  threadId: session,
  store: 'sessions',
  storage: 'sessions',
  outputType: 'output',
  outputSchema: 'output',
  output_type: 'output',
  responseFormat: 'output',
  response_format: 'output',
  structuredOutput: 'output',
  schema: 'output',
  handoffs: '`new Swarm({ name, agents: […], collaboration: "handoff" })`',
  agents: swarm,
  subagents: swarm,
  subAgents: swarm,
  handoffDescription: 'description',
  inputGuardrails: '`hooks: { input }`',
  outputGuardrails: '`hooks: { output }`',
  guardrails: '`hooks: { input, output }`',
  middleware: '`hooks`',
  callbacks: 'the events of agent.stream("…"), and `hooks`',
  onStepFinish: 'the event `step-end` of agent.stream("…")',
  onFinish: 'onRunEnd',
  mcpServers: '`functions: [await mcp({ url })]` of @agentkit/mcp, or [mcp.<name>] in agentkit_config.toml',
  vectorStore: '`retriever: { folder: "docs" }`',
  maxTokens: 'maxOutputTokens',
  max_tokens: 'maxOutputTokens',
  maxCompletionTokens: 'maxOutputTokens',
  reasoningEffort: 'reasoning',
  maxRetries: '`retry: { attempts }`',
  stop: withSettings('stop'),
  stopSequences: withSettings('stop'),
  toolChoice: withSettings('toolChoice'),
  parallelToolCalls: withSettings('parallelToolCalls'),
  abortSignal: '`signal` of a run: agent.chat("…", { signal })',
  timeout: 'timeoutMs',
}

/** Words for the options of `new Swarm`. */
export const swarmWords: ForeignWords = {
  ...agentWords,
  handoffs: '`agents` with `collaboration: "handoff"`',
  subagents: 'agents',
  subAgents: 'agents',
  members: 'agents',
  workers: 'agents',
  supervisor: '`collaboration: "manager"`, whose model is the `model` of the swarm,',
  process: 'collaboration',
  mode: 'collaboration',
}

const ofAgent = (name: string): string => `\`${name}\` of the agent: new Agent({ ${name} })`

/** Words for the options of a run: `agent.chat(question, options)`. */
export const runWords: ForeignWords = {
  abortSignal: 'signal',
  thread: 'sessionId',
  threadId: 'sessionId',
  thread_id: 'sessionId',
  session: 'sessionId',
  conversationId: 'sessionId',
  resource: 'userId',
  resourceId: 'userId',
  messages: '`history` for earlier messages, and the first argument for the question',
  configurable: '`userId` and `sessionId`',
  memory: '`userId` and `sessionId`',
  maxTurns: ofAgent('maxSteps'),
  maxSteps: ofAgent('maxSteps'),
  stopWhen: ofAgent('maxSteps'),
  recursionLimit: ofAgent('maxSteps'),
  tools: ofAgent('functions'),
  functions: ofAgent('functions'),
  system: ofAgent('instruction'),
  instructions: ofAgent('instruction'),
  instruction: ofAgent('instruction'),
  prompt: 'the first argument: agent.chat("…")',
  model: ofAgent('model'),
  output: ofAgent('output'),
  structuredOutput: ofAgent('output'),
  temperature: ofAgent('temperature'),
  stream: 'agent.stream("…") instead of agent.chat("…")',
  timeout: 'timeoutMs',
}

/** Words for the options of `tool()`. */
export const toolWords: ForeignWords = {
  id: 'name',
  parameters: 'input',
  inputSchema: 'input',
  schema: 'input',
  args: 'input',
  func: 'execute',
  handler: 'execute',
  run: 'execute',
  invoke: 'execute',
  requireApproval: 'needsApproval',
  timeout: 'timeoutMs',
}

/** The sentence for a foreign word, if it is one: "`tools` is `functions` here." */
export function foreignWord(word: string, words: ForeignWords): string | undefined {
  if (!Object.hasOwn(words, word)) return undefined
  const ours = String(words[word])
  return `\`${word}\` is ${/^\w+$/.test(ours) ? `\`${ours}\`` : ours} here.`
}

/**
 * What an object is that was passed as a model, with the way to get a model from it; `undefined` for a model, and for what
 * no library makes.
 */
export function foreignModel(value: unknown): string | undefined {
  const has = (name: string): boolean => typeof Object(value)[name] === 'function'
  if (has('invoke') && has('bindTools')) return `this is a model of LangChain. ${byName}`
  if (has('stream')) return undefined
  if (has('doGenerate') || has('doStream')) {
    return 'this is a model of the AI SDK. Pass `fromAISDK(model)` of @agentkit/ai-sdk'
  }
  if (has('getResponse')) return `this is a model of OpenAI Agents. ${byName}`
  if (has('model') || has('languageModel')) return `this is a provider, not one of its models. ${byFactory}`
  if (has('withOptions')) {
    return 'this is the client of an SDK. Pass a model that uses it: openai({ client }).model("gpt-5.4-mini")'
  }
  if (typeof value === 'function') return `this is a function. ${byFactory}`
  return undefined
}

const byFactory = 'Pass what it makes: openai().model("gpt-5.4-mini")'
const byName = 'Pass one by its name, openai().model("gpt-5.4-mini")'
