/**
 * What AI SDK, OpenAI Agents, Mastra, LangGraph and VoltAgent call our options, with the answer that names ours. An answer that is
 * one word is the name of our option; one of `none()` says that there is no such option.
 */
export type ForeignWords = Readonly<Record<string, string>>

const swarm = '`new Swarm({ name, agents: […] })`'
const session = '`sessionId` of a run: agent.chat("…", { sessionId: "ada" }); `sessions` is the store'
export const withSettings = (name: string): string => `\`modelSettings: { ${name} }\``
const ofRun = (name: string): string => `\`${name}\` of a run: agent.chat("…", { ${name} })`
const ofProvider = (name: string): string => `an option of the provider: openai({ ${name} }).model("gpt-5.4-mini")`
export const events: string = 'the events of agent.stream("…")'

/** Of LangGraph it is what is known of users; elsewhere it keeps conversations. */
export const storeWord = '`memory`, which remembers users, or `sessions`, which keeps conversations,'
export const toolsOfStep = '`hooks: { beforeModel }`, which returns the request with fewer `tools`,'
export const runEnd = 'the event `run-end` of agent.stream("…"), or `onRunEnd` for runs that are stored,'
const chain = '`model`, a list: model: [first, next]'
const approval = '`needsApproval` of a tool'
const noCounterpart = 'has no counterpart'
export const none = (instead: string): string => `${noCounterpart} here: ${instead}`
export const contextless: string = none(
  'tools receive `userId`, `sessionId` and `signal`, and close over any other value',
)
export const sampling: string = none('providers differ in it. How much answers vary is `temperature`')
const summarized = none('a conversation that is too long for its model is summarized')
const byThemselves = none('each option stands by itself, such as `maxSteps`')
const loopSettings = none('a run ends when the model calls no tool, or by `maxSteps` and `budget`')

/** Words for the options of `new Agent` and `new Swarm`. */
export const agentWords: ForeignWords = {
  tools: 'functions',
  toolsets: 'functions',
  actions: 'functions',
  system: 'instruction',
  instructions: 'instruction',
  prompt: 'instruction',
  systemPrompt: 'instruction',
  systemMessage: 'instruction',
  role: 'instruction',
  goal: 'instruction',
  backstory: 'instruction',
  globalInstruction: 'instruction',
  messages: 'the first argument of agent.chat("…"), and `history` of a run for earlier messages',
  messageModifier: 'instruction',
  stateModifier: 'instruction',
  llm: 'model',
  modelName: 'model',
  modelId: 'model',
  languageModel: 'model',
  fallbacks: chain,
  fallbackModel: chain,
  fallbackModels: chain,
  maxTurns: 'maxSteps',
  maxIterations: 'maxSteps',
  maxIter: 'maxSteps',
  recursionLimit: 'maxSteps',
  stopWhen: '`maxSteps`, and `budget` for tokens, dollars and seconds',
  maxBudgetUsd: '`budget: { usd }`',
  maxExecutionTime: 'timeoutMs',
  checkpointer: session,
  checkpointSaver: session,
  session,
  sessionId: session,
  threadId: session,
  conversationId: session,
  userId: ofRun('userId'),
  resourceId: ofRun('userId'),
  store: storeWord,
  storage: 'sessions',
  db: 'sessions',
  sessionManager: 'sessions',
  sessionService: 'sessions',
  outputType: 'output',
  outputSchema: 'output',
  responseFormat: 'output',
  structuredOutput: 'output',
  structuredOutputSchema: 'output',
  schema: 'output',
  experimental_output: 'output',
  handoffs: '`new Swarm({ name, agents: […], collaboration: "handoff" })`',
  agents: swarm,
  subagents: swarm,
  subAgents: swarm,
  supervisor: swarm,
  workflows: '`workflow().….asAgent()`, which is a member of a swarm,',
  handoffDescription: 'description',
  purpose: 'description',
  inputGuardrails: '`hooks: { input }`',
  outputGuardrails: '`hooks: { output }`',
  guardrails: '`hooks: { input, output }`',
  inputProcessors: '`hooks: { input }`',
  outputProcessors: '`hooks: { output }`',
  middleware: '`hooks`',
  prepareStep: '`hooks: { beforeModel }`',
  prepareCall: '`hooks: { beforeModel }`',
  preModelHook: '`hooks: { beforeModel }`',
  postModelHook: '`hooks: { afterModel }`',
  beforeModelCallback: '`hooks: { beforeModel }`',
  afterModelCallback: '`hooks: { afterModel }`',
  beforeToolCallback: '`hooks: { beforeTool }`',
  afterToolCallback: '`hooks: { afterTool }`',
  plugins: 'hooks',
  repairToolCall: '`hooks: { afterModel }`',
  experimental_repairToolCall: '`hooks: { afterModel }`',
  interruptBefore: approval,
  interruptAfter: approval,
  interruptOn: approval,
  toolApproval: approval,
  requireApproval: approval,
  requireToolApproval: approval,
  canUseTool: approval,
  callbacks: `${events}, and \`hooks\``,
  onChunk: events,
  onEvent: events,
  stream: 'agent.stream("…")',
  streaming: 'agent.stream("…")',
  onError: 'what agent.chat("…") throws, or `error` of the result of agent.stream("…"),',
  onStepFinish: 'the event `step-end` of agent.stream("…")',
  onStepEnd: 'the event `step-end` of agent.stream("…")',
  onAbort: 'the event `run-end` of agent.stream("…")',
  onToolCall: 'the event `tool-call` of agent.stream("…")',
  verbose: events,
  debug: events,
  onStart: 'the event `run-start` of agent.stream("…")',
  onToolStart: '`hooks: { beforeTool }`',
  onToolEnd: '`hooks: { afterTool }`',
  onHandoff: 'the event `handoff` of a swarm',
  toolkits: '`functions`, whose items may be lists of tools,',
  supervisorConfig: 'the `instruction` of `new Swarm({ name, agents: […] })`',
  onFinish: runEnd,
  onEnd: runEnd,
  mcpServers: '`functions: [await mcp({ url })]` of @agentkit/mcp, or [mcp.<name>] in agentkit_config.toml',
  vectorStore: '`retriever: { folder: "docs" }`',
  maxTokens: 'maxOutputTokens',
  maxCompletionTokens: 'maxOutputTokens',
  reasoningEffort: 'reasoning',
  effort: 'reasoning',
  thinking: 'reasoning',
  thinkingBudget: 'reasoning',
  thinkingConfig: 'reasoning',
  maxRetries: '`retry: { attempts }`',
  retries: '`retry: { attempts }`',
  retryStrategy: '`retry: { attempts }`',
  stop: withSettings('stop'),
  stopSequences: withSettings('stop'),
  toolChoice: withSettings('toolChoice'),
  parallelToolCalls: withSettings('parallelToolCalls'),
  abortSignal: ofRun('signal'),
  signal: ofRun('signal'),
  timeout: 'timeoutMs',
  apiKey: ofProvider('apiKey'),
  baseURL: ofProvider('baseURL'),
  baseUrl: ofProvider('baseURL'),
  headers: ofProvider('headers'),
  provider: 'a part of `model`: "openai/gpt-5.4-mini"',
  providerOptions: none('what providers have in common is in `modelSettings`'),
  topP: sampling,
  topK: sampling,
  seed: sampling,
  presencePenalty: sampling,
  frequencyPenalty: sampling,
  telemetry: '`telemetry = "otlp"` in agentkit_config.toml',
  experimental_telemetry: '`telemetry = "otlp"` in agentkit_config.toml',
  tracing: '`telemetry = "otlp"` in agentkit_config.toml',
  observability: '`telemetry = "otlp"` in agentkit_config.toml',
  scorers: '`evaluate({ agent, cases, scorers })` of @agentkit/evals',
  evals: '`evaluate({ agent, cases, scorers })` of @agentkit/evals',
  defaultOptions: byThemselves,
  defaultGenerateOptions: byThemselves,
  defaultStreamOptions: byThemselves,
  activeTools: toolsOfStep,
  toolCallConcurrency: none('8 tool calls run at once'),
  maxConcurrency: none('8 tool calls run at once'),
  conversationManager: summarized,
  summarization: summarized,
  toolUseBehavior: loopSettings,
  resetToolChoice: loopSettings,
  context: contextless,
  experimental_context: contextless,
  requestContext: contextless,
  runtimeContext: contextless,
  contextSchema: contextless,
  toolsContext: contextless,
  requestContextSchema: contextless,
  stateSchema: contextless,
  callOptionsSchema: contextless,
  voice: none('agents read and write text, and read images'),
}

const managed = '`collaboration: "manager"`, whose model is the `model` of the swarm,'

/** Words for the options of `new Swarm`. */
export const swarmWords: ForeignWords = {
  ...agentWords,
  handoffs: '`agents` with `collaboration: "handoff"`',
  subagents: 'agents',
  subAgents: 'agents',
  members: 'agents',
  workers: 'agents',
  nodes: 'agents',
  supervisor: managed,
  manager: managed,
  managerAgent: managed,
  managerLlm: 'model',
  participants: 'agents',
  process: 'collaboration',
  pattern: 'collaboration',
  mode: 'collaboration',
  strategy: 'collaboration',
  router: '`collaboration: (state) => next`',
  defaultActiveAgent: 'the first of `agents`',
  entryPoint: 'the first of `agents`',
  outputMode: none('the manager receives the answer of each member'),
  maxRounds: 'maxSteps',
  maxHandoffs: 'maxSteps',
}

/** The sentence for a foreign word, if it is one: "`tools` is `functions` here." */
export function foreignWord(word: string, words: ForeignWords): string | undefined {
  const [ours] = [word, camelCase(word)].filter((one) => Object.hasOwn(words, one)).map((one) => String(words[one]))
  if (ours === undefined) return undefined
  if (ours.startsWith(noCounterpart)) return `\`${word}\` ${ours}.`
  return `\`${word}\` is ${/^\w+$/.test(ours) ? `\`${ours}\`` : ours} here.`
}

/** `max_turns` → `maxTurns`: options of Python are the same words. */
function camelCase(word: string): string {
  return word.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
}
