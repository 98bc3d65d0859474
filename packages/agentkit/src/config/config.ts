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
  /** The agents' tables by their name, which is the name or id of an agent. */
  readonly agents: ReadonlyMap<string, AgentTable>
  readonly samplePrompts: SamplePromptsTable
  readonly server: ServerTable
  readonly retention: RetentionTable
  readonly webhooks: WebhooksTable
  readonly retriever: RetrieverTable
  readonly embedding: EmbeddingTable
  /** The tables `[providers.<name>]`, by name. */
  readonly providers: NamedProviders
  /** The tables `[mcp.<name>]`, by name. */
  readonly mcp: ReadonlyMap<string, McpTable>
  /** One sentence for each entry that has no effect. */
  readonly warnings: readonly string[]
}
