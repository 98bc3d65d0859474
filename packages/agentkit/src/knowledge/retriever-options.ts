import type { Embedder } from '@agentkit/core'
import type { RetrievalTool } from '../config/retrieval-tool.ts'

/**
 * What `createRetriever` of `@agentkit/retriever` takes. It stands here too, as that package need not be installed for
 * the types of this one.
 */
export type RetrieverOptions = {
  /** Whose files are searched; default `agentkit-data/files/user`. */
  folder?: string
  /** Only files with these extensions. */
  requiredExts?: readonly string[]
  retrievalTool?: RetrievalTool
  /** Makes the vectors; default what `[embedding]` says. */
  embedder?: Embedder
  /** Where the index is kept; default `agentkit-data/index`. With `localstore` also `s3://bucket/path`. */
  indexPath?: string
  /** Larger files are not read; default 200 MB. */
  maxFileBytes?: number
  /** What reading files may cost. */
  parsing?: {
    /** What one of the processes that read files may take, in MB of resident memory, from 128 on; default 512. */
    memoryMb?: number
    /** CPU time of one file, in seconds; default 60. Small files get less: 5 s, and 10 s for each MB of their size. */
    cpuSeconds?: number
    /** At once; default as many as the machine has cores, and at most 4. */
    processes?: number
    /** How long the sync before an agent's first answer may delay it, in seconds; default 60. */
    firstAnswerSeconds?: number
  }
  /** Of `cloudindex-serverless` and `cloudindex-pod`. */
  cloud?: {
    /** Default `PINECONE_API_KEY`. */
    apiKey?: string
    controllerHostUrl?: string
    indexName?: string
    namespace?: string
    cloud?: string
    region?: string
    /** Whether an index that is not there is made. */
    create?: boolean
  }
}
