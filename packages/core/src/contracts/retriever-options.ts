import type { Embedder } from './model.ts'

/** The kinds of index: in process, in LanceDB, or in Pinecone with a local text index. */
export const retrievalTools = ['basic', 'localstore', 'cloudindex-serverless', 'cloudindex-pod'] as const

/** The backend that searches: on disk, or in the cloud. */
export type RetrievalTool = (typeof retrievalTools)[number]

/** The options of `createRetriever` in `@agentkit/retriever`, which agents accept too and which may not be installed. */
export type RetrieverOptions = {
  /** The folder that is searched; default `agentkit-data/files/user`. It is created if it is missing. */
  folder?: string
  /** Only files with these extensions, with or without the dot; default all readable types. */
  requiredExts?: readonly string[]
  /** Default `basic`. */
  retrievalTool?: RetrievalTool
  /** Computes the vectors; default of an agent: what `[embedding]` names. Without one, search uses words only. */
  embedder?: Embedder
  /** The folder of the index; default `agentkit-data/index`. With `localstore` also `s3://bucket/path` and the like. */
  indexPath?: string
  /** Larger files are skipped; default 200 MB. */
  maxFileBytes?: number
  /** The limits for parsing files. */
  parsing?: ParsingOptions
  /** Of `cloudindex-serverless` and `cloudindex-pod`. */
  cloud?: CloudOptions
}

/**
 * Files are parsed in separate processes. A file that exceeds a limit is `too-large`, with the limit in its reason.
 *
 * @example
 * createRetriever({ folder: 'uploads', parsing: { memoryMb: 256, cpuSeconds: 20, processes: 1 } })
 */
export type ParsingOptions = {
  /** Resident memory of one process in MB, at least 128; default 512. */
  memoryMb?: number
  /** CPU time of one file in seconds; default 60. Small files have less: 5 s, and 10 s for each MB of their size. */
  cpuSeconds?: number
  /** Parallel processes; default the number of cores, at most 4. */
  processes?: number
  /**
   * How long the sync before an agent's first answer may delay it, in seconds; default 60. Then the run answers from what
   * is indexed, and its `warnings` say how many files are pending.
   */
  firstAnswerSeconds?: number
}

/** The Pinecone index of a cloud retriever. */
export type CloudOptions = {
  /** Default: the environment's `PINECONE_API_KEY`. */
  apiKey?: string
  /** Of Pinecone's control plane. Default: the environment's `PINECONE_CONTROLLER_HOST`, otherwise Pinecone's own. */
  controllerHostUrl?: string
  /** Default: `agentkit`. The index must exist, unless `create` is set. */
  indexName?: string
  /**
   * The prefix of the namespaces: each generation of the index has one, `<namespace>-<generation>`.
   * Default: derived from the path of the index's folder, so that projects can share a Pinecone index.
   */
  namespace?: string
  /** Where a new index is created; default: `aws`, `us-east-1`. */
  cloud?: string
  region?: string
  /** Creates a missing index, as a serverless one. Default: false. */
  create?: boolean
}
