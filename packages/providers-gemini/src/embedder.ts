import type { Embedder } from '@agentkit/core'
import { batchedEmbedder, boundedResponse, type EmbedderOptions, throwingFetch } from '@agentkit/wire'
import type { EmbedContentConfig } from '@google/genai'
import type { Connection } from './connection.ts'
import { errorContext, toGeminiError } from './errors.ts'

/** The API's bound on the texts of one request. */
const mostTexts = 100

/** @param model without `models/` */
export function geminiEmbedder(model: string, connection: Connection, settings: EmbedderOptions): Embedder {
  const context = errorContext(model, connection)
  const { dimensions } = settings
  return batchedEmbedder({
    provider: 'gemini',
    model,
    settings,
    mostTexts,
    load: connection.client,
    toError: (error) => toGeminiError(error, context),
    async request(texts, signal, task, mostBytes) {
      const client = await connection.client()
      const refusing = throwingFetch(signal, connection.fetch)
      const fetch: typeof refusing = async (...request) =>
        boundedResponse(await refusing(...request), mostBytes, signal)
      const config: EmbedContentConfig = { abortSignal: signal, httpOptions: { ...connection.httpOptions, fetch } }
      if (dimensions !== undefined) config.outputDimensionality = dimensions
      const byType = takesTaskType.test(model)
      if (task !== undefined && byType) config.taskType = taskTypes[task]
      // One content per text: for plain texts, gemini-embedding-2 returns a single vector.
      const contents = texts.map((text) => ({
        role: 'user',
        parts: [{ text: task === undefined || byType ? text : prefixes[task] + text }],
      }))
      const { embeddings } = await client.models.embedContent({ model, contents, config })
      return embeddings?.map(({ values }) => values)
    },
  })
}

/** Later models ignore the type, and expect the task in the text. */
const takesTaskType = /embedding-00\d|^embedding-/
const taskTypes = { document: 'RETRIEVAL_DOCUMENT', query: 'RETRIEVAL_QUERY' } as const
const prefixes = { document: 'title: none | text: ', query: 'task: search result | query: ' } as const
