import { resolve } from 'node:path'
import type { Embedder, Knowledge, SyncReport } from '@agentkit/core'
import type { RetrieverOptions } from '@agentkit/core/internal'
import type { Retriever } from '@agentkit/retriever'
import type { AgentTable } from '../config/config-keys.ts'
import type { SDKContext } from '../config/sdk-context.ts'
import type { ProviderId } from '../models/providers.ts'
import { definedOnly } from '../util/defined-only.ts'
import { requireRetriever } from '../util/import-optional.ts'
import { defaultEmbedding, type EmbeddingChoice, namedEmbedding } from './embedding-choice.ts'
import type { KnowledgeOptions } from './knowledge-options.ts'
import { type LazyKnowledge, lazyKnowledge } from './lazy-knowledge.ts'
import { loadDefaultEmbedder, loadEmbedder } from './load-embedder.ts'
import { retrieverKey, shareRetriever } from './share-retriever.ts'
import { emptyLine, reportLines } from './sync-lines.ts'

/**
 * An agent's knowledge: the files of a folder, by its options, its table and `[retriever]`. Agents with the same options
 * share one retriever, also across contexts.
 *
 * @returns `undefined` when the agent does not retrieve
 * @throws AgentKitError `missing-package` when `@agentkit/retriever` is not installed
 * @throws AgentKitError as `createRetriever` for invalid options, and as {@link namedEmbedding}
 */
export function agentKnowledge(
  options: KnowledgeOptions,
  settings: AgentTable,
  chatProviders: readonly ProviderId[],
  context: SDKContext,
): Knowledge | undefined {
  const { retriever } = options
  const retrieve = options.retrieve ?? (retriever !== undefined ? true : settings.retrieve)
  if (!retrieve) {
    warnOfUnused(options, settings, context)
    return undefined
  }
  if (retriever !== undefined && isKnowledge(retriever)) return retriever
  return sharedRetriever(options, settings, chatProviders, context)
}

/**
 * The retriever that options, an agent's table and `[retriever]` describe. It is created when it is first needed.
 * @throws AgentKitError as {@link agentKnowledge} does
 */
export function sharedRetriever(
  options: KnowledgeOptions,
  settings: AgentTable,
  chatProviders: readonly ProviderId[],
  context: SDKContext,
): LazyKnowledge<Retriever> {
  const merged = retrieverOptions(options, settings, context)
  const choice = merged.embedder ? undefined : chooseEmbedding(chatProviders, context)
  const { checkRetrieverOptions, createRetriever } = requireRetriever()
  const { folder, exts } = checkRetrieverOptions(choice ? { ...merged, embedder: placeholderOf(choice) } : merged)
  const ollama = settings.ollama_server_url
  const { embedder: customEmbedder } = merged
  const key = retrieverKey({ options: merged, choice, ollama })
  const make = async (): Promise<Retriever> => {
    const embedder = choice && (await embedderOf(choice, ollama, context))
    return createRetriever(embedder ? { ...merged, embedder } : merged)
  }
  const onSync = (report: SyncReport): void => {
    // The kind of search does not matter if there are no files.
    if (report.chunks > 0 && !choice && !customEmbedder) context.notice(wordsOnly)
    const empty = emptyLine(report, resolve(folder))
    if (empty !== undefined) context.notice(empty)
    for (const line of reportLines(report)) context.notice(line)
  }
  const known = { folder, exts: [...exts], firstAnswerSeconds: merged.parsing?.firstAnswerSeconds }
  return context.knowledgeAt(key, () => lazyKnowledge(() => shareRetriever(key, make), onSync, known))
}

const wordsOnly = 'Files are searched by words only: no provider with embeddings has a key. Name one in [embedding].'

async function embedderOf(
  { isNamed, ...choice }: ChosenEmbedding,
  ollama: string | undefined,
  context: SDKContext,
): Promise<Embedder | undefined> {
  if (isNamed) return loadEmbedder(choice, ollama)
  const embedder = await loadDefaultEmbedder(choice, ollama)
  if (!embedder) {
    context.notice(
      `Files are searched by words only. To search by meaning too, run: ollama pull ${choice.model}, or name an embedding model in [embedding].`,
    )
  }
  return embedder
}

/** The options of the retriever: the constructor's override the agent's table, which overrides `[retriever]`. */
export function retrieverOptions(
  { retriever, requiredExts, retrievalTool }: KnowledgeOptions,
  settings: AgentTable,
  { config }: Pick<SDKContext, 'config'>,
): RetrieverOptions {
  const { folder, index_path, max_file_mb, index_name, namespace, cloud, region, create } = config.retriever
  const { parse_memory_mb, parse_cpu_seconds, parse_processes, first_answer_seconds } = config.retriever
  const ofTable: RetrieverOptions = definedOnly({
    folder,
    indexPath: index_path,
    maxFileBytes: max_file_mb === undefined ? undefined : Math.round(max_file_mb * 1e6),
    requiredExts: settings.required_exts,
    retrievalTool: settings.retrieval_tool,
  })
  const own: RetrieverOptions = retriever && !isKnowledge(retriever) ? definedOnly(retriever) : {}
  const ofParsing = definedOnly({
    memoryMb: parse_memory_mb,
    cpuSeconds: parse_cpu_seconds,
    processes: parse_processes,
    firstAnswerSeconds: first_answer_seconds,
  })
  const parsing = { ...ofParsing, ...own.parsing }
  const ofCloud = { ...definedOnly({ indexName: index_name, namespace, cloud, region, create }), ...own.cloud }
  return {
    ...ofTable,
    ...definedOnly({ requiredExts, retrievalTool }),
    ...own,
    ...(Object.keys(parsing).length > 0 && { parsing }),
    ...(Object.keys(ofCloud).length > 0 && { cloud: ofCloud }),
  }
}

type ChosenEmbedding = EmbeddingChoice & { isNamed: boolean }

/**
 * The embedding model. A notice names it when it belongs to a provider that the agent does not use.
 * @returns `undefined` when files are searched by words only
 */
function chooseEmbedding(
  chatProviders: readonly ProviderId[],
  context: Pick<SDKContext, 'config' | 'notice'>,
): ChosenEmbedding | undefined {
  const [preferred = 'openai'] = chatProviders
  const named = namedEmbedding(context.config.embedding, preferred, context.config.providers)
  if (named) return { ...named, isNamed: true }
  const choice = defaultEmbedding(chatProviders)
  if (choice && !chatProviders.some((provider) => provider === choice.provider)) {
    context.notice(
      `The files are embedded by ${choice.provider}/${choice.model}, as the chat model's provider has no default embedding model. Name another one in [embedding].`,
    )
  }
  return choice && { ...choice, isNamed: false }
}

function isKnowledge(retriever: RetrieverOptions | Knowledge): retriever is Knowledge {
  return 'tools' in retriever && typeof retriever.tools === 'function'
}

function warnOfUnused(options: KnowledgeOptions, settings: AgentTable, context: SDKContext): void {
  const { config } = context
  const unused = (['requiredExts', 'retrievalTool', 'retriever'] as const).filter((name) => options[name] !== undefined)
  // A value from [defaults] is meant for other agents, which retrieve.
  const unusedKeys = (['required_exts', 'retrieval_tool'] as const).filter(
    (key) => settings[key] !== undefined && settings[key] !== config.defaults[key],
  )
  if (unused.length > 0) context.warn(`${noEffect(unused)} without \`retrieve: true\`.`)
  if (unusedKeys.length > 0) {
    context.warn(`${config.path}: ${noEffect(unusedKeys)} in the table of an agent without \`retrieve = true\`.`)
  }
}

function noEffect(names: readonly string[]): string {
  return `${names.map((name) => `\`${name}\``).join(' and ')} ${names.length === 1 ? 'has' : 'have'} no effect`
}

/** A placeholder of the embedder for the check of the options. The embedder itself is loaded when it is needed. */
function placeholderOf({ provider, model, dimensions }: EmbeddingChoice): Embedder {
  return {
    id: `${provider}/${model}`,
    ...(dimensions === undefined ? {} : { dimensions }),
    embed: async () => [],
  }
}
