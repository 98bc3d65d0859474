import type { Embedder } from '@agentkit/core'
import type { RetrievalTool } from './retrieval-tool.ts'

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
