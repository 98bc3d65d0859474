import { createRetriever } from '@agentkit/retriever'
import type { OpenSearcher } from './searcher.ts'

export function agentkit(retrievalTool: 'basic' | 'localstore'): OpenSearcher {
  return (folder, indexPath) => {
    const retriever = createRetriever({ folder, indexPath, retrievalTool })
    return {
      sync: async () => void (await retriever.sync()),
      search: async (question) => (await retriever.search(question)).length,
      settled: () => retriever.tidied(),
      close: () => retriever.close(),
    }
  }
}
