import { tracer } from '@agentkit/core/internal'
import type { Hit } from './data/cite.ts'

/** Runs a search within its span, where the process traces. */
export async function tracedSearch(
  about: { source: string; query: string; limit: number },
  search: () => Promise<Hit[]>,
): Promise<Hit[]> {
  const span = tracer()?.start({ type: 'retrieval', ...about })
  if (!span) return search()
  try {
    const hits = await span.within(search)
    span.end({ output: hits.map(({ chunkId, score }) => ({ id: chunkId, score: score.fused })) })
    return hits
  } catch (error) {
    span.end({ error })
    throw error
  }
}
