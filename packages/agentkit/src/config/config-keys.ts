import type {
  CacheOption,
  Collaboration,
  MemberHistory,
  MemoryOptions,
  ModelSettings,
  OnBusy,
  Route,
} from '@agentkit/core'
import type { RetrievalTool } from '@agentkit/core/internal'
import type { Dialect } from '@agentkit/server'

/** The TypeScript type of each type of value. */
export type ValueTypes = {
  text: string
  word: string
  model: string | readonly string[]
  budget: BudgetTable
  cache: CacheOption
  busy: OnBusy
  texts: readonly string[]
  extensions: readonly string[]
  flag: boolean
  seconds: number
  'approval-days': number
  count: number
  'count-from-0': number
  port: number
  number: number
  dollars: number
  approvals: 'owner' | 'service'
  dialects: readonly Dialect[]
  log: 'human' | 'json'
  telemetry: 'otlp'
  temperature: number
  reasoning: NonNullable<ModelSettings['reasoning']>
  'retrieval-tool': RetrievalTool
  megabytes: number
  'parse-memory': number
  'parse-seconds': number
  'parse-processes': number
  collaboration: Exclude<Collaboration, Route>
  history: Exclude<MemberHistory, object> | number
  'provider-kind': 'openai-compatible'
  address: string
  variable: string
  api: 'chat' | 'responses'
  headers: Readonly<Record<string, string>>
  prefix: string
  embeddings: boolean | string
  models: object
  date: string
  variables: Readonly<Record<string, string>>
  memory: boolean | MemoryOptions
  'names-or-flag': boolean | readonly string[]
  'path-or-false': string | false
}

/** A `budget` in the file. */
type BudgetTable = { usd?: number; tokens?: number; model_calls?: number; tool_calls?: number; seconds?: number }

/** One key of the configuration file. */
export type ConfigKey = {
  /** The type of its value. */
  type: keyof ValueTypes
  /** A valid value in TOML, for error messages. */
  example: string
}

/** The keys of each agent's table, and of `[defaults]`. */
export const agentKeys = {
  model: { type: 'model', example: '"openai/gpt-5.4-mini"' },
  instruction: { type: 'text', example: '"You answer briefly."' },
  description: { type: 'text', example: '"Knows the weather."' },
  version: { type: 'word', example: '"2026-11-23"' },
  sample_prompts: { type: 'texts', example: '["What can you do?"]' },
  timeout: { type: 'seconds', example: '60' },
  tool_timeout: { type: 'seconds', example: '30' },
  temperature: { type: 'temperature', example: '0.2' },
  reasoning: { type: 'reasoning', example: '"low"' },
  max_output_tokens: { type: 'count', example: '2000' },
  max_steps: { type: 'count', example: '20' },
  budget: { type: 'budget', example: '{ usd = 0.5, seconds = 120 }' },
  cache: { type: 'cache', example: '"auto"' },
  on_busy: { type: 'busy', example: '"queue"' },
  approval_days: { type: 'approval-days', example: '30' },
  enable_multi_modal: { type: 'flag', example: 'true' },
  environment: { type: 'word', example: '"production"' },
  retrieve: { type: 'flag', example: 'true' },
  required_exts: { type: 'extensions', example: '[".md", ".pdf"]' },
  retrieval_tool: { type: 'retrieval-tool', example: '"localstore"' },
  memory: { type: 'memory', example: '{ days = 365 }' },
  agents: { type: 'texts', example: '["research", "analyst"]' },
  tools: { type: 'texts', example: '["search"]' },
  mcp: { type: 'texts', example: '["files"]' },
  skills: { type: 'texts', example: '["./skills"]' },
  collaboration: { type: 'collaboration', example: '"manager"' },
  history: { type: 'history', example: '"task"' },
  ollama_server_url: { type: 'word', example: '"http://127.0.0.1:11434"' },
} as const

/** The keys that concern the whole process. */
const processKeys = {
  telemetry: { type: 'telemetry', example: '"otlp"' },
} as const

/** The keys of `[defaults]`. */
export const defaultsKeys: typeof agentKeys & typeof processKeys = { ...agentKeys, ...processKeys }

/** The keys of `[server]`. */
export const serverKeys = {
  host: { type: 'word', example: '"127.0.0.1"' },
  port: { type: 'port', example: '8000' },
  auth_tokens_env: { type: 'word', example: '"AGENTKIT_TOKENS"' },
  cors_origins: { type: 'texts', example: '["https://app.example.com"]' },
  allowed_hosts: { type: 'texts', example: '["agent.example.com"]' },
  allow_unauthenticated: { type: 'flag', example: 'true' },
  approvals: { type: 'approvals', example: '"service"' },
  trusted_proxies: { type: 'texts', example: '["10.0.0.0/8"]' },
  base_path: { type: 'text', example: '"/agent"' },
  per_user_files: { type: 'flag', example: 'true' },
  dialects: { type: 'dialects', example: '["openai", "ui"]' },
  playground: { type: 'flag', example: 'false' },
  docs: { type: 'flag', example: 'false' },
  metrics: { type: 'flag', example: 'true' },
  worker: { type: 'flag', example: 'false' },
  log: { type: 'log', example: '"json"' },
  max_runs: { type: 'count', example: '32' },
  max_queued_runs: { type: 'count-from-0', example: '256' },
  max_user_runs: { type: 'count', example: '4' },
  max_user_queued_runs: { type: 'count-from-0', example: '32' },
  max_user_daily_usd: { type: 'dollars', example: '5' },
  max_user_daily_tokens: { type: 'count', example: '1000000' },
  max_queued: { type: 'count-from-0', example: '100000' },
  max_user_queued: { type: 'count-from-0', example: '10000' },
  max_held_bytes: { type: 'count', example: '268435456' },
  max_connections: { type: 'count', example: '2048' },
  max_requests_per_connection: { type: 'count', example: '1000' },
  deadline_ms: { type: 'count', example: '300000' },
  background_ms: { type: 'count', example: '3600000' },
  drain_ms: { type: 'count', example: '25000' },
  stalled_ms: { type: 'count', example: '30000' },
} as const

/** The keys of `[retention]`. */
export const retentionKeys = {
  retention_days: { type: 'number', example: '30' },
  max_sessions_per_user: { type: 'count-from-0', example: '100' },
  max_disk_mb: { type: 'number', example: '5000' },
} as const

/** The keys of `[webhooks]`. */
export const webhookKeys = {
  url: { type: 'word', example: '"https://example.com/agentkit"' },
  secret_env: { type: 'word', example: '"AGENTKIT_WEBHOOK_SECRET"' },
} as const

/** The keys of `[sample_prompts]`. */
export const samplePromptKeys = {
  prompts: { type: 'texts', example: '["What can you do?"]' },
} as const

/** The keys of `[retriever]`. */
export const retrieverKeys = {
  folder: { type: 'word', example: '"agentkit-data/files/user"' },
  index_path: { type: 'word', example: '"agentkit-data/index"' },
  max_file_mb: { type: 'megabytes', example: '200' },
  parse_memory_mb: { type: 'parse-memory', example: '512' },
  parse_cpu_seconds: { type: 'parse-seconds', example: '60' },
  parse_processes: { type: 'parse-processes', example: '2' },
  first_answer_seconds: { type: 'seconds', example: '60' },
  index_name: { type: 'word', example: '"agentkit"' },
  namespace: { type: 'word', example: '"docs"' },
  cloud: { type: 'word', example: '"aws"' },
  region: { type: 'word', example: '"us-east-1"' },
  create: { type: 'flag', example: 'true' },
} as const

/** The keys of `[embedding]`. */
export const embeddingKeys = {
  provider: { type: 'word', example: '"openai"' },
  model: { type: 'word', example: '"text-embedding-3-small"' },
  dimensions: { type: 'count', example: '512' },
} as const

/** The keys of `[providers.<name>]`. */
export const providerKeys = {
  kind: { type: 'provider-kind', example: '"openai-compatible"' },
  base_url: { type: 'address', example: '"https://api.x.ai/v1"' },
  key_env: { type: 'variable', example: '"XAI_API_KEY"' },
  api: { type: 'api', example: '"chat"' },
  headers: { type: 'headers', example: '{ "x-team" = "garden" }' },
  embeddings: { type: 'embeddings', example: '"bge-m3"' },
  models: { type: 'models', example: '["grok-4", "grok-4-mini"]' },
} as const

/** The keys of `[mcp.<name>]`. */
export const mcpKeys = {
  url: { type: 'word', example: '"https://example.com/mcp"' },
  command: { type: 'word', example: '"npx"' },
  args: { type: 'texts', example: '["-y", "@modelcontextprotocol/server-filesystem", "docs"]' },
  env: { type: 'variables', example: '{ LOG_LEVEL = "info" }' },
  cwd: { type: 'word', example: '"tools"' },
  headers: { type: 'headers', example: '{ x-api-key = "…" }' },
  tools: { type: 'texts', example: '["search"]' },
  prefix: { type: 'prefix', example: '"files"' },
  needs_approval: { type: 'names-or-flag', example: '["delete"]' },
  pins: { type: 'path-or-false', example: '"agentkit-mcp.lock.json"' },
  timeout_ms: { type: 'count', example: '30000' },
  required: { type: 'flag', example: 'false' },
} as const

/** The keys of `[providers.<name>.models."<model>"]`. */
export const providerModelKeys = {
  context_window: { type: 'count', example: '128000' },
  max_output_tokens: { type: 'count', example: '8192' },
  input_usd_per_million: { type: 'number', example: '0.4' },
  output_usd_per_million: { type: 'number', example: '1.6' },
  as_of: { type: 'date', example: '"2026-11-24"' },
  images: { type: 'flag', example: 'true' },
} as const

/** Tables that belong to no agent. None of these names may be an agent's id. */
export const reservedTables: readonly string[] = [
  'defaults',
  'sample_prompts',
  'embedding',
  'retriever',
  'retention',
  'server',
  'webhooks',
  'providers',
  'mcp',
]

/** A checked table: known keys only, each of its type. */
type TableOf<Keys extends Record<string, ConfigKey>> = {
  readonly [Key in keyof Keys]?: ValueTypes[Keys[Key]['type']]
}
export type AgentTable = TableOf<typeof agentKeys>
export type DefaultsTable = TableOf<typeof defaultsKeys>
export type ServerTable = TableOf<typeof serverKeys>
export type RetentionTable = TableOf<typeof retentionKeys>
export type WebhooksTable = TableOf<typeof webhookKeys>
export type SamplePromptsTable = TableOf<typeof samplePromptKeys>
export type RetrieverTable = TableOf<typeof retrieverKeys>
export type EmbeddingTable = TableOf<typeof embeddingKeys>
export type McpTable = TableOf<typeof mcpKeys>
export type ProviderTable = TableOf<typeof providerKeys>
export type ProviderModelTable = TableOf<typeof providerModelKeys>
