import type { Collaboration, MemberHistory, ModelSettings, OnBusy, Route } from '@agentkit/core'
import type { RetrievalTool } from './retrieval-tool.ts'

/** What a value of each type is in TypeScript. */
export type ValueTypes = {
  text: string
  word: string
  model: string | readonly string[]
  budget: BudgetTable
  busy: OnBusy
  texts: readonly string[]
  extensions: readonly string[]
  flag: boolean
  seconds: number
  count: number
  'count-from-0': number
  port: number
  temperature: number
  reasoning: NonNullable<ModelSettings['reasoning']>
  'retrieval-tool': RetrievalTool
  megabytes: number
  'parse-memory': number
  'parse-seconds': number
  'parse-processes': number
  collaboration: Exclude<Collaboration, Route>
  history: Exclude<MemberHistory, object> | number
}

/** A `budget` in the file: US dollars, tokens, calls, seconds. */
type BudgetTable = { usd?: number; tokens?: number; model_calls?: number; tool_calls?: number; seconds?: number }

/** One key of the configuration file. */
export type ConfigKey = {
  /** What its value must be. */
  type: keyof ValueTypes
  /** A value that is right, as TOML: what an error suggests. */
  example: string
  about: string
}

/** The keys of `[defaults]` and of each agent's table. */
export const agentKeys = {
  model: {
    type: 'model',
    example: '"openai/gpt-5.4-mini"',
    about:
      'The model by name: `provider/model`, or a name whose family tells the provider. Of a list the first is preferred; where one fails, the next takes over.',
  },
  instruction: { type: 'text', example: '"You answer briefly."', about: 'What the agent is told before every chat.' },
  description: { type: 'text', example: '"Knows the weather."', about: 'What the agent is for, in a sentence.' },
  sample_prompts: {
    type: 'texts',
    example: '["What can you do?"]',
    about: 'Questions that a user interface may suggest.',
  },
  timeout: {
    type: 'seconds',
    example: '60',
    about: 'The longest silence of a model, before its first byte or between bytes. Then the attempt ends.',
  },
  tool_timeout: { type: 'seconds', example: '30', about: 'How long one call of a tool may take.' },
  temperature: { type: 'temperature', example: '0.2', about: 'How freely the model answers; 0 is the least.' },
  reasoning: {
    type: 'reasoning',
    example: '"low"',
    about: 'How much a model that reasons does so: `"none"`, `"low"`, `"medium"` or `"high"`.',
  },
  max_output_tokens: { type: 'count', example: '2000', about: 'The bound of one answer of the model, in tokens.' },
  max_steps: { type: 'count', example: '20', about: 'How many calls of the model one run may make.' },
  budget: {
    type: 'budget',
    example: '{ usd = 0.5, seconds = 120 }',
    about:
      'What one run may use up: `usd`, `tokens`, `model_calls`, `tool_calls`, `seconds`. It ends before it would pass one of them.',
  },
  on_busy: {
    type: 'busy',
    example: '"queue"',
    about:
      'What a run does when another one holds its session: `"queue"` waits, `"reject"` fails at once, `"interrupt"` ends the other one.',
  },
  enable_multi_modal: {
    type: 'flag',
    example: 'true',
    about: '`false` refuses images and files. Absent, what the model can read decides.',
  },
  environment: {
    type: 'word',
    example: '"production"',
    about: '`"production"` makes the server write its log as JSON; with any other word it is for people.',
  },
  retrieve: {
    type: 'flag',
    example: 'true',
    about:
      'Whether the agent answers from the files of the folder, `agentkit-data/files/user` unless `[retriever]` says otherwise.',
  },
  required_exts: {
    type: 'extensions',
    example: '[".md", ".pdf"]',
    about: 'Only files with these extensions. Absent, all six kinds: `.md`, `.mdx`, `.txt`, `.csv`, `.docx`, `.pdf`.',
  },
  retrieval_tool: {
    type: 'retrieval-tool',
    example: '"localstore"',
    about:
      'What the files are searched with: `"basic"` needs nothing else, `"localstore"` LanceDB, `"cloudindex-serverless"` and `"cloudindex-pod"` Pinecone.',
  },
  agents: {
    type: 'texts',
    example: '["research", "analyst"]',
    about: "A swarm's members, by their tables. Absent, every other table of an agent, where the code passes none.",
  },
  tools: {
    type: 'texts',
    example: '["search"]',
    about:
      "Which of its swarm's functions a member may call, by name, where its table makes it; absent, none. In a swarm's own table: which of them its model may call; absent, all.",
  },
  collaboration: {
    type: 'collaboration',
    example: '"manager"',
    about: 'How a swarm\'s members work together: `"manager"`, `"handoff"`, `"parallel"` or `"sequence"`.',
  },
  history: {
    type: 'history',
    example: '"task"',
    about:
      'What a swarm\'s members see beside their task: `"task"`, `"summary"`, `"full"`, `"own"`, or a number: the last messages.',
  },
  ollama_server_url: {
    type: 'word',
    example: '"http://127.0.0.1:11434"',
    about: 'Where Ollama listens. Absent, `OLLAMA_HOST` says, else it is this machine.',
  },
} as const

/** The keys of `[server]`. */
export const serverKeys = {
  host: { type: 'word', example: '"127.0.0.1"', about: 'The address to listen on.' },
  port: { type: 'port', example: '8000', about: 'The port to listen on; 0 takes a free one.' },
  auth_tokens_env: {
    type: 'word',
    example: '"AGENTKIT_TOKENS"',
    about:
      'The environment variable that holds the bearer tokens: `token=user` or `token`, each of at least 16 characters, with commas between them.',
  },
  cors_origins: {
    type: 'texts',
    example: '["https://app.example.com"]',
    about: 'Web origins whose pages may call the server.',
  },
  allowed_hosts: {
    type: 'texts',
    example: '["agent.example.com"]',
    about:
      "Names by which the server may be called, without a port: beside the machine's own where only it can reach the server, the only ones where others can.",
  },
  max_runs: { type: 'count', example: '32', about: 'How many runs take place at once; more wait.' },
  max_queued_runs: {
    type: 'count-from-0',
    example: '256',
    about: 'How many runs wait for a place; more are 503. 0 lets none wait.',
  },
  max_held_bytes: {
    type: 'count',
    example: '268435456',
    about: 'How many bytes all requests that have not started may hold in memory; more is 503.',
  },
  max_connections: { type: 'count', example: '2048', about: 'How many connections are open at once; more are 503.' },
  max_requests_per_connection: {
    type: 'count',
    example: '1000',
    about: 'After how many requests a connection is closed.',
  },
} as const

/** The keys of `[sample_prompts]`. */
export const samplePromptKeys = {
  prompts: {
    type: 'texts',
    example: '["What can you do?"]',
    about: 'For every agent that has none of its own.',
  },
} as const

/** The keys of `[retriever]`. */
export const retrieverKeys = {
  folder: { type: 'word', example: '"agentkit-data/files/user"', about: 'The folder whose files are searched.' },
  index_path: {
    type: 'word',
    example: '"agentkit-data/index"',
    about: 'Where the index is kept; with `"localstore"` also `"s3://bucket/path"`.',
  },
  max_file_mb: { type: 'megabytes', example: '200', about: 'Larger files are not read.' },
  parse_memory_mb: {
    type: 'parse-memory',
    example: '512',
    about: 'What one of the processes that read files may take, in MB of resident memory.',
  },
  parse_cpu_seconds: {
    type: 'parse-seconds',
    example: '60',
    about: 'The CPU time of one file. Small files get less: 5 s, and 10 s for each MB of their size.',
  },
  parse_processes: {
    type: 'parse-processes',
    example: '2',
    about: 'How many processes read files. Absent, as many as the machine has cores, and at most 4.',
  },
  first_answer_seconds: {
    type: 'seconds',
    example: '60',
    about:
      'How long the sync before the first answer may delay it. Then the answer uses what is indexed, and says how many files are pending.',
  },
  index_name: { type: 'word', example: '"agentkit"', about: "The cloud index's name." },
  namespace: { type: 'word', example: '"docs"', about: 'What the names of its namespaces begin with.' },
  cloud: { type: 'word', example: '"aws"', about: 'Where a cloud index is made.' },
  region: { type: 'word', example: '"us-east-1"', about: 'Its region there.' },
  create: { type: 'flag', example: 'true', about: 'Whether to make a cloud index that is not there.' },
} as const

/** The keys of `[embedding]`. */
export const embeddingKeys = {
  provider: {
    type: 'word',
    example: '"openai"',
    about:
      "Who turns passages into vectors: `openai`, `azure`, `mistral`, `gemini` or `ollama`. Absent, the chat model's provider where it can.",
  },
  model: { type: 'word', example: '"text-embedding-3-small"', about: "The embedding model, or Azure's deployment." },
  dimensions: { type: 'count', example: '512', about: 'Shorter vectors, of models that can make them.' },
} as const

/** Tables that are not an agent's: no agent may have one of these as its id. */
export const reservedTables: readonly string[] = ['defaults', 'sample_prompts', 'embedding', 'retriever', 'server']

/** A table that has been read and checked: only known keys, each of its type. */
type TableOf<Keys extends Record<string, ConfigKey>> = {
  readonly [Key in keyof Keys]?: ValueTypes[Keys[Key]['type']]
}
export type AgentTable = TableOf<typeof agentKeys>
export type ServerTable = TableOf<typeof serverKeys>
export type SamplePromptsTable = TableOf<typeof samplePromptKeys>
export type RetrieverTable = TableOf<typeof retrieverKeys>
export type EmbeddingTable = TableOf<typeof embeddingKeys>
