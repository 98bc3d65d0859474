import type { Knowledge } from '@agentkit/core'
import type { RetrievalTool, RetrieverOptions } from '@agentkit/core/internal'

/** The options of an agent's constructor about its files. */
export type KnowledgeOptions = {
  /** Whether the agent answers from files and cites them; default: whether there is a `retriever`. */
  retrieve?: boolean | undefined
  /** Only files with these extensions; default all six: `.md`, `.mdx`, `.txt`, `.csv`, `.docx`, `.pdf`. */
  requiredExts?: readonly string[] | undefined
  /** The kind of index; default `"basic"`, which needs no other package. */
  retrievalTool?: RetrievalTool | undefined
  /** Options such as folder and index, which override `[retriever]`; or a retriever, which the agent does not close. */
  retriever?: RetrieverOptions | Knowledge | undefined
}
