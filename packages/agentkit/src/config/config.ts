import type { NamedProviders } from '../models/named-provider.ts'
import type {
  AgentTable,
  DefaultsTable,
  EmbeddingTable,
  McpTable,
  RetentionTable,
  RetrieverTable,
  SamplePromptsTable,
  ServerTable,
  WebhooksTable,
} from './config-keys.ts'

/** The checked configuration file: known keys only, each of its type. */
export type Config = {
  /** The absolute path of the file; absent when there is none. */
  readonly path?: string
  readonly defaults: DefaultsTable
  /** By the name of the table, which is an agent's name or id. */
  readonly agents: ReadonlyMap<string, AgentTable>
  readonly samplePrompts: SamplePromptsTable
  readonly server: ServerTable
  readonly retention: RetentionTable
  readonly webhooks: WebhooksTable
  readonly retriever: RetrieverTable
  readonly embedding: EmbeddingTable
  /** By name: `[providers.<name>]`. */
  readonly providers: NamedProviders
  /** By name: `[mcp.<name>]`. */
  readonly mcp: ReadonlyMap<string, McpTable>
  /** One sentence for each entry that has no effect. */
  readonly warnings: readonly string[]
}
