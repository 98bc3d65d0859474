import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Embedder } from '@agentkit/core'
import { createRetriever, type Retriever } from '../../packages/retriever/src/retriever.ts'
import type { Collection } from './collection.ts'
import { locateSections } from './locate-sections.ts'
import { averagePrecision, chunkRecall, mean, ndcg, recall, type Span } from './metrics.ts'
import { writeFiles, writeLongFiles } from './write-files.ts'

export type Tool = 'basic' | 'localstore'

export type Evaluation = {
  collection: string
  tool: Tool
  embedder: string
  ndcg: number
  map: number
  recall: number
  /** The recall of the relevant text within 8,000 characters, when documents are sections of long files. */
  chunkRecall: number
  /** The time of indexing, with one document per file. */
  indexSeconds: number
  /** The average time of one search. */
  searchMs: number
}

/** Writes a collection's documents to files, indexes them, and runs its queries. */
export async function evaluate(collection: Collection, tool: Tool, embedder?: Embedder): Promise<Evaluation> {
  const short = await withRetriever(tool, embedder, (folder) => writeFiles(collection.documents, folder), rankFiles)
  const long = await withRetriever(tool, embedder, (folder) => writeLongFiles(collection.documents, folder), readFiles)
  return { collection: collection.name, tool, embedder: embedder?.id ?? 'none', ...short, ...long }

  async function rankFiles(retriever: Retriever, files: ReadonlyMap<string, { id: string }>, indexSeconds: number) {
    const startedAt = performance.now()
    const scores: [number, number, number][] = []
    for (const { text, relevant } of collection.queries) {
      const hits = await retriever.search(text, { limit: 1000 })
      const ranked = [...new Set(hits.map(({ file }) => files.get(file)?.id ?? file))]
      scores.push([ndcg(ranked, relevant), averagePrecision(ranked, relevant), recall(ranked, relevant)])
    }
    const searchMs = (performance.now() - startedAt) / collection.queries.length
    const meanOf = (index: 0 | 1 | 2): number => mean(scores.map((score) => score[index]))
    return { ndcg: meanOf(0), map: meanOf(1), recall: meanOf(2), indexSeconds, searchMs }
  }

  async function readFiles(
    retriever: Retriever,
    files: ReadonlyMap<string, { id: string; title: string; text: string }[]>,
  ) {
    const places = new Map<string, Span>()
    for (const [file, sections] of files) {
      for (const [id, span] of locateSections(file, await retriever.read(file), sections)) places.set(id, span)
    }
    const scores: number[] = []
    for (const { text, relevant } of collection.queries) {
      const parts = [...relevant.keys()].flatMap((id) => places.get(id) ?? [])
      if (parts.length > 0) scores.push(chunkRecall(await retriever.search(text, { limit: 50 }), parts))
    }
    return { chunkRecall: mean(scores) }
  }
}

async function withRetriever<Files, Result>(
  tool: Tool,
  embedder: Embedder | undefined,
  write: (folder: string) => Files,
  use: (retriever: Retriever, files: Files, indexSeconds: number) => Promise<Result>,
): Promise<Result> {
  const place = mkdtempSync(join(tmpdir(), 'eval-retrieval-'))
  const folder = join(place, 'files')
  const files = write(folder)
  const retriever = createRetriever({
    folder,
    indexPath: join(place, 'index'),
    retrievalTool: tool,
    ...(embedder && { embedder }),
  })
  try {
    const startedAt = performance.now()
    await retriever.sync()
    return await use(retriever, files, (performance.now() - startedAt) / 1000)
  } finally {
    await retriever.close()
    rmSync(place, { recursive: true, force: true })
  }
}
