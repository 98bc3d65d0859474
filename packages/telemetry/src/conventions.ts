/**
 * The names of version 0.1.0 of the GenAI semantic conventions. Each group has its page in
 * https://github.com/open-telemetry/semantic-conventions-genai.
 */
const genAI010 = {
  /** docs/gen-ai/gen-ai-agent-spans.md, docs/gen-ai/client-inference.md */
  operations: {
    agent: 'invoke_agent',
    // A span of its kind has the attributes of `invoke_agent` since 0.1.0.
    workflow: 'invoke_workflow',
    model: 'chat',
    tool: 'execute_tool',
    retrieval: 'retrieval',
  },
  attributes: {
    /** docs/registry/attributes/gen-ai.md */
    operation: 'gen_ai.operation.name',
    provider: 'gen_ai.provider.name',
    agentName: 'gen_ai.agent.name',
    agentDescription: 'gen_ai.agent.description',
    conversation: 'gen_ai.conversation.id',
    requestModel: 'gen_ai.request.model',
    requestStream: 'gen_ai.request.stream',
    maxTokens: 'gen_ai.request.max_tokens',
    temperature: 'gen_ai.request.temperature',
    reasoning: 'gen_ai.request.reasoning.level',
    stop: 'gen_ai.request.stop_sequences',
    outputType: 'gen_ai.output.type',
    responseModel: 'gen_ai.response.model',
    finishReasons: 'gen_ai.response.finish_reasons',
    inputTokens: 'gen_ai.usage.input_tokens',
    outputTokens: 'gen_ai.usage.output_tokens',
    cacheReadTokens: 'gen_ai.usage.cache_read.input_tokens',
    cacheWriteTokens: 'gen_ai.usage.cache_write.input_tokens',
    reasoningTokens: 'gen_ai.usage.reasoning.output_tokens',
    toolName: 'gen_ai.tool.name',
    toolType: 'gen_ai.tool.type',
    toolCallId: 'gen_ai.tool.call.id',
    toolDescription: 'gen_ai.tool.description',
    dataSource: 'gen_ai.data_source.id',
    retrievalLimit: 'gen_ai.retrieval.top_k',
    tokenType: 'gen_ai.token.type',
    tokenModality: 'gen_ai.token.modality',
    /** Content, by opt-in: docs/gen-ai/client-inference.md, docs/gen-ai/gen-ai-spans.md */
    instructions: 'gen_ai.system_instructions',
    inputMessages: 'gen_ai.input.messages',
    outputMessages: 'gen_ai.output.messages',
    toolArguments: 'gen_ai.tool.call.arguments',
    toolResult: 'gen_ai.tool.call.result',
    query: 'gen_ai.retrieval.query.text',
    documents: 'gen_ai.retrieval.documents',
    /** docs/gen-ai/mcp.md */
    mcpMethod: 'mcp.method.name',
    mcpProtocol: 'mcp.protocol.version',
    networkTransport: 'network.transport',
    serverAddress: 'server.address',
    serverPort: 'server.port',
    /** https://opentelemetry.io/docs/specs/semconv/registry/attributes/error/ */
    errorType: 'error.type',
  },
  metrics: {
    /** docs/gen-ai/client-inference.md */
    modelDuration: 'gen_ai.client.inference.duration',
    inputTokens: 'gen_ai.client.inference.usage.input_tokens',
    outputTokens: 'gen_ai.client.inference.usage.output_tokens',
    cacheReadTokens: 'gen_ai.client.inference.usage.cache_read.input_tokens',
    cacheWriteTokens: 'gen_ai.client.inference.usage.cache_write.input_tokens',
    reasoningTokens: 'gen_ai.client.inference.usage.reasoning.output_tokens',
    /**
     * The metric of the conventions before 0.1.0, which most dashboards read: semantic-conventions v1.41.0,
     * gen-ai-metrics.md
     */
    tokenUsage: 'gen_ai.client.token.usage',
    /** docs/gen-ai/gen-ai-metrics.md */
    agentDuration: 'gen_ai.invoke_agent.duration',
    agentModelCalls: 'gen_ai.invoke_agent.inference_calls',
    agentToolCalls: 'gen_ai.invoke_agent.tool_calls',
    toolDuration: 'gen_ai.execute_tool.duration',
    /** docs/gen-ai/retrieval.md */
    retrievalDuration: 'gen_ai.retrieval.duration',
    /** docs/gen-ai/mcp.md */
    mcpDuration: 'mcp.client.operation.duration',
  },
  /**
   * The registry's words for providers, by their name here or in the AI SDK, where it may have further parts
   * (`openai.responses`): docs/registry/attributes/gen-ai.md
   */
  providers: {
    'amazon-bedrock': 'aws.bedrock',
    anthropic: 'anthropic',
    azure: 'azure.ai.openai',
    cohere: 'cohere',
    deepseek: 'deepseek',
    gemini: 'gcp.gemini',
    google: 'gcp.gemini',
    'google.vertex': 'gcp.vertex_ai',
    groq: 'groq',
    mistral: 'mistral_ai',
    openai: 'openai',
    perplexity: 'perplexity',
    xai: 'x_ai',
  },
} as const

/** Names that no convention has. */
export const ownNames = {
  agentId: 'agentkit.agent.id',
  runId: 'agentkit.run.id',
  step: 'agentkit.step',
  finishReason: 'agentkit.finish_reason',
  estimated: 'agentkit.usage.estimated',
} as const

/** A version of the GenAI semantic conventions. */
export type ConventionsVersion = '0.1.0'
export type Conventions = typeof genAI010

/** Names by the version of the conventions. A later version is one more entry. */
export const conventions: Record<ConventionsVersion, Conventions> = { '0.1.0': genAI010 }

/** Boundaries of histograms, from the pages of their metrics. */
export const boundaries: Record<'seconds' | 'agentSeconds' | 'requestSeconds' | 'tokens' | 'calls', number[]> = {
  seconds: [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92],
  agentSeconds: [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 51.2, 102.4, 204.8, 409.6],
  requestSeconds: [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300],
  tokens: [1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864],
  calls: [1, 2, 4, 8, 16, 32, 64, 128],
}
