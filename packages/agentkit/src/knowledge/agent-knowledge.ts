import { AgentKitError, type Embedder, type Knowledge, type SyncReport } from '@agentkit/core'
import type { Retriever } from '@agentkit/retriever'
import type { AgentTable } from '../config/config-keys.ts'
import type { RetrievalTool } from '../config/retrieval-tool.ts'
import type { SDKContext } from '../config/sdk-context.ts'
import type { ProviderId } from '../models/providers.ts'
import { definedOnly } from '../util/defined-only.ts'
import { defaultEmbedding, type EmbeddingChoice, namedEmbedding } from './embedding-choice.ts'
import { type LazyKnowledge, lazyKnowledge } from './lazy-knowledge.ts'
import { loadEmbedder, loadUnaskedEmbedder } from './load-embedder.ts'
import type { RetrieverOptions } from './retriever-options.ts'
import { retrieverPackage } from './retriever-package.ts'
import { retrieverKey, shareRetriever } from './share-retriever.ts'
import { reportLines } from './sync-lines.ts'

/** What an agent's constructor says of its files. */
export type KnowledgeOptions = {
  retrieve?: boolean
  requiredExts?: readonly string[]
  retrievalTool?: RetrievalTool
  retriever?: RetrieverOptions | Knowledge
}

/**
 * What an agent looks up: the files of a folder, as its options, its table and `[retriever]` say. Agents of a context
 * that want the same share one, and so do contexts.
 *
 * @returns `undefined` where the agent is not to retrieve
 * @throws AgentKitError `missing-package` when `@agentkit/retriever` is not installed
 * @throws AgentKitError what `createRetriever` throws for options that cannot be, and {@link namedEmbedding}
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
 * The retriever that options, an agent's table and `[retriever]` ask for, made when it is first needed.
 * @throws AgentKitError as {@link agentKnowledge} does
 */
export function sharedRetriever(
  options: KnowledgeOptions,
  settings: AgentTable,
  chatProviders: readonly ProviderId[],
  context: SDKContext,
): LazyKnowledge<Retriever> {
  const wanted = retrieverOptions(options, settings, context)
  const choice = wanted.embedder ? undefined : chooseEmbedding(chatProviders, wanted.retrievalTool, context)
  const { checkRetrieverOptions, createRetriever } = retrieverPackage()
  checkRetrieverOptions(choice ? { ...wanted, embedder: standIn(choice) } : wanted)
  const ollama = settings.ollama_server_url
  const own = wanted.embedder
  const key = retrieverKey({ options: wanted, choice, ollama })
  const make = async (): Promise<Retriever> => {
    const embedder = choice && (await embedderOf(choice, ollama, context))
    return createRetriever(embedder ? { ...wanted, embedder } : wanted)
  }
  const onSync = (report: SyncReport): void => {
    // Without files it does not matter how they are searched.
    if (report.chunks > 0 && !choice && !own) context.notice(byWordsAlone)
    for (const line of reportLines(report)) context.notice(line)
  }
  return context.knowledgeAt(key, () =>
    lazyKnowledge(() => shareRetriever(key, make), onSync, wanted.parsing?.firstAnswerSeconds),
  )
}

const byWordsAlone =
  'Files are searched by their words alone: no provider with embeddings has a key. [embedding] names one.'

async function embedderOf(
  { isNamed, ...choice }: ChosenEmbedding,
  ollama: string | undefined,
  context: SDKContext,
): Promise<Embedder | undefined> {
  if (isNamed) return loadEmbedder(choice, ollama)
  const embedder = await loadUnaskedEmbedder(choice, ollama)
  if (!embedder) {
    context.notice(
      `Files are searched by their words alone. For their meaning too run: ollama pull ${choice.model}, or name an embedding model in [embedding].`,
    )
  }
  return embedder
}

/** The constructor's options over the agent's table over `[retriever]`. */
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
 * Who makes the vectors, said aloud where it is nobody that the agent names.
 * @returns `undefined` where files are searched by their words
 */
export function chooseEmbedding(
  chatProviders: readonly ProviderId[],
  retrievalTool: RetrievalTool | undefined,
  context: Pick<SDKContext, 'config' | 'notice'>,
): ChosenEmbedding | undefined {
  const [preferred = 'openai'] = chatProviders
  const named = namedEmbedding(context.config.embedding, preferred)
  if (named) return { ...named, isNamed: true }
  const choice = defaultEmbedding(chatProviders)
  const isCloud = retrievalTool?.startsWith('cloudindex-') ?? false
  if (!choice && isCloud) {
    throw new AgentKitError(
      'invalid-config',
      `"${retrievalTool}" searches by vectors, and no provider with embeddings has a key. Name one in [embedding], or take "localstore".`,
    )
  }
  if (choice && !chatProviders.includes(choice.provider)) {
    context.notice(
      `The files' vectors are made by ${choice.provider}/${choice.model}, as the chat model's provider has none that can be taken unasked. [embedding] names another.`,
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
  // What stands in [defaults] is for the agents that retrieve.
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

/** Enough of an embedder to be checked: the real one is loaded when it is needed. */
function standIn({ provider, model, dimensions }: EmbeddingChoice): Embedder {
  return {
    id: `${provider}/${model}`,
    ...(dimensions === undefined ? {} : { dimensions }),
    embed: async () => [],
  }
}
