import { describe, expect, it } from 'vitest'
import { apiReference } from './api-reference.ts'
import { brokenReferences } from './markdown-links.ts'
import { exists, readText } from './workspace-files.ts'

const pages = apiReference()
const entries = pages.flatMap((page) => page.entries)

// Names that have no docstring yet. Each that gets one is removed here.
const undescribed: readonly string[] = [
  'callTimeoutNames',
  'checkRetrieverOptions',
  'isUnreadableFile',
  'type AgentOptions',
  'type AgentkitToolsOptions',
  'type AnthropicProvider',
  'type AskOptions',
  'type AssistantMessage',
  'type AssistantPart',
  'type AzureProvider',
  'type BuildManifestOptions',
  'type ChatTool',
  'type CheckManifestOptions',
  'type ErrorDetails',
  'type ExtractFileOptions',
  'type FakeToolCall',
  'type GeminiProvider',
  'type GroqProvider',
  'type HandleSignalsOptions',
  'type HookedAnswer',
  'type HookedCall',
  'type HookedOutcome',
  'type IdempotentAnswer',
  'type IdempotentRequest',
  'type LoopOptions',
  'type MCPServerOptions',
  'type ManifestBuild',
  'type ManifestCheck',
  'type MistralProvider',
  'type ModelEvent',
  'type OfflineOptions',
  'type OfflineProvider',
  'type OllamaProvider',
  'type OpenAIProvider',
  'type OrphanedRun',
  'type PostgresQueueOptions',
  'type PostgresSessionsOptions',
  'type ProblemKind',
  'type PruneReport',
  'type QueueCounts',
  'type QueuedJob',
  'type ReasoningPart',
  'type RecordOptions',
  'type RetrievalTool',
  'type RunCounts',
  'type RunEnding',
  'type RunOptions',
  'type RunResult',
  'type SQLiteSessionsOptions',
  'type ScriptedModelOptions',
  'type SearchOptions',
  'type ServerOptions',
  'type SessionInfo',
  'type StoredSchedule',
  'type SwarmOptions',
  'type SyncOptions',
  'type SystemMessage',
  'type TextPart',
  'type ToolCallPart',
  'type ToolChoice',
  'type ToolMessage',
  'type TurnStatus',
  'type UserMessage',
  'type WatchOptions',
  'type WorkOptions',
  'type WorkflowOptions',
]

describe('the API reference', () => {
  it('has an entry for every public name, except those of our own packages', () => {
    const sections = readText('public-names.txt').split(/^(?=\S)/m)
    const names = sections.flatMap((section) => {
      const [entryPoint = '', ...lines] = section.trim().split('\n')
      return entryPoint.endsWith('/internal') ? [] : lines.map((line) => `${entryPoint} ${line.trim()}`)
    })
    expect(names.length).toBeGreaterThan(400)
    expect(entries.map(({ entryPoint, name }) => `${entryPoint} ${name}`).sort()).toEqual(names.sort())
  })

  it('describes each, except the names of a list that only shrinks', () => {
    const missing = entries.filter(({ description }) => description === '').map(({ name }) => name)
    if (undescribed.length > 0) console.log(`${undescribed.length} public names have no docstring yet.`)
    expect([...new Set(missing)].sort()).toEqual([...undescribed].sort())
  })

  it('links to existing pages and entries', () => {
    const texts = new Map(pages.map(({ path, text }) => [path, text]))
    expect(brokenReferences({ texts, exists: (path) => texts.has(path) || exists(path) })).toEqual([])
  })

  it('shows signatures without bodies and private members, with inherited ones, and docstrings with their tags', () => {
    const { body = '' } =
      entries.find(({ entryPoint, name }) => entryPoint === '@agentkit/core' && name === 'Agent') ?? {}
    expect(body).toContain('chat(input: string | InputPart[], options: RunOptions = {}): Promise<string>\n')
    expect(body).toContain("const agent = new Agent({ name: 'Weather'")
    expect(body).not.toMatch(/#\w|return |\bprivate\b|@internal/)
  })

  it('shows what another package exports on the page of that one', () => {
    const { body = '' } = entries.find(({ entryPoint, name }) => entryPoint === 'agentkit' && name === 'tool') ?? {}
    expect(body).toContain('From [`@agentkit/core`](core.md#tool).')
  })
})
