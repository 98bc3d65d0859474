import { resolve } from 'node:path'
import { AgentKitError, type Embedder } from '@agentkit/core'
import {
  type CloudOptions,
  invalidArgument,
  type ParsingOptions,
  type RetrievalTool,
  type RetrieverOptions,
  retrievalTools,
} from '@agentkit/core/internal'
import { checkOption } from './data/check-arguments.ts'
import { supportedExts } from './parse/parsers.ts'
import { checkParsing } from './parse/pool/parsing-options.ts'
import { checkCloudEmbedder, pineconeSettings } from './store/pinecone/pinecone-settings.ts'
import { isInside } from './sync/scan.ts'

export type { RetrieverOptions }

/** Options after checks, with defaults. */
export type RetrieverSettings = {
  folder: string
  exts: ReadonlySet<string>
  /** Whether `extensions` selects only some of the types. */
  isNarrowed: boolean
  tool: RetrievalTool
  embedder?: Embedder
  indexPath: string
  maxFileBytes: number
  parsing: Required<ParsingOptions>
  cloud: CloudOptions
}

const usualIndexPath = 'agentkit-data/index'
/** 200 MB, in the unit of `max_file_mb` and of messages. */
export const usualMaxFileBytes = 200_000_000

const names: readonly string[] = [
  'folder',
  'requiredExts',
  'retrievalTool',
  'embedder',
  'indexPath',
  'maxFileBytes',
  'parsing',
  'cloud',
] satisfies (keyof RetrieverOptions)[]

/**
 * The options of a retriever with their defaults.
 *
 * @throws AgentKitError `invalid-argument` for an unknown or invalid option; `invalid-config` for options that contradict
 * each other; `missing-key` for a cloud index without its key
 */
export function checkRetrieverOptions(options: RetrieverOptions = {}): RetrieverSettings {
  if (!isObject(options))
    throw invalidArgument('createRetriever() takes an object of options, such as { folder: "docs" }.')
  const unknown = Object.keys(options).find((name) => !names.includes(name))
  if (unknown !== undefined)
    throw invalidArgument(`createRetriever() has no option "${unknown}". There are: ${names.join(', ')}.`)
  const { folder = 'agentkit-data/files/user', indexPath = usualIndexPath, retrievalTool = 'basic' } = options
  const { requiredExts, embedder, maxFileBytes = usualMaxFileBytes, parsing, cloud = {} } = options
  if (!isText(folder)) throw invalidArgument('`folder` is the path of a folder, such as "docs".')
  if (!isText(indexPath)) throw invalidArgument('`indexPath` is the path of a folder, such as "agentkit-data/index".')
  if (!retrievalTools.includes(retrievalTool)) {
    throw invalidArgument(`There is no retrievalTool ${show(retrievalTool)}. There are: ${retrievalTools.join(', ')}.`)
  }
  if (isRemote(indexPath) && retrievalTool !== 'localstore') {
    const message = `\`${retrievalTool}\` keeps its index on this disk: name a folder as \`indexPath\`, or take \`localstore\`.`
    throw new AgentKitError('invalid-config', message)
  }
  if (isInside(resolve(localFolderOf(indexPath)), resolve(folder))) {
    const problem = `The files in "${folder}" would be left out: they lie inside of the index, "${localFolderOf(indexPath)}".`
    const fix = 'Name another `folder` or `indexPath`. An index inside of the folder will do.'
    throw new AgentKitError('invalid-config', `${problem} ${fix}`)
  }
  checkOption('maxFileBytes', maxFileBytes)
  if (embedder !== undefined) checkEmbedder(embedder)
  checkCloud(cloud)
  if (retrievalTool === 'cloudindex-serverless' || retrievalTool === 'cloudindex-pod') {
    pineconeSettings(retrievalTool, indexPath, cloud)
    // Without a declared dimension, the first vector determines it.
    checkCloudEmbedder(retrievalTool, embedder && (embedder.dimensions ?? 0))
  }
  return {
    folder,
    exts: requiredExts === undefined ? new Set(supportedExts) : checkExts(requiredExts),
    isNarrowed: requiredExts !== undefined,
    tool: retrievalTool,
    ...(embedder && { embedder }),
    indexPath,
    maxFileBytes,
    parsing: checkParsing(parsing),
    cloud,
  }
}

/** Whether an index is remote: `s3://…`. */
export function isRemote(indexPath: string): boolean {
  return /^[a-z][a-z0-9+.-]+:\/\//i.test(indexPath)
}

/** The local folder of an index; of a remote index, the folder of its lock and journals. */
export function localFolderOf(indexPath: string): string {
  return isRemote(indexPath) ? usualIndexPath : indexPath
}

/** Extensions in lower case, with the dot. @throws AgentKitError `invalid-argument` for a type that cannot be read */
function checkExts(exts: readonly string[]): Set<string> {
  if (!Array.isArray(exts) || exts.length === 0) {
    throw invalidArgument(
      `\`requiredExts\` is a list of extensions, such as [".md"]. There are: ${supportedExts.join(', ')}.`,
    )
  }
  return new Set(
    exts.map((ext: unknown) => {
      const withDot = typeof ext === 'string' ? `.${ext.trim().replace(/^\./, '').toLowerCase()}` : ''
      if (supportedExts.includes(withDot)) return withDot
      throw invalidArgument(
        `\`requiredExts\` has ${show(ext)}, and such files cannot be read. These can: ${supportedExts.join(', ')}.`,
      )
    }),
  )
}

function checkEmbedder(embedder: Embedder): void {
  if (!isObject(embedder) || typeof embedder.embed !== 'function' || !isText(embedder.id)) {
    throw invalidArgument('`embedder` is an object with an `id` and a function `embed`, such as openai().embedder().')
  }
  const { dimensions } = embedder
  if (dimensions !== undefined && (!Number.isSafeInteger(dimensions) || dimensions < 1)) {
    throw invalidArgument(
      `The embedder ${embedder.id} says \`dimensions\` ${show(dimensions)}: a whole number is needed.`,
    )
  }
}

const cloudOptions = {
  apiKey: 'string',
  controllerHostUrl: 'string',
  indexName: 'string',
  namespace: 'string',
  cloud: 'string',
  region: 'string',
  create: 'boolean',
} as const satisfies Record<keyof CloudOptions, string>

function checkCloud(cloud: CloudOptions): void {
  if (!isObject(cloud)) throw invalidArgument('`cloud` is an object, such as { indexName: "docs" }.')
  const kinds: Record<string, string> = cloudOptions
  for (const [name, value] of Object.entries(cloud)) {
    const kind = Object.hasOwn(kinds, name) ? kinds[name] : undefined
    if (!kind) throw invalidArgument(`\`cloud\` has no "${name}". There are: ${Object.keys(kinds).join(', ')}.`)
    // The value may be a key, so it is not shown.
    if (value !== undefined && typeof value !== kind) throw invalidArgument(`\`cloud.${name}\` is a ${kind}.`)
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== ''
}

function show(value: unknown): string {
  return typeof value === 'string' ? `"${value}"` : String(value)
}
