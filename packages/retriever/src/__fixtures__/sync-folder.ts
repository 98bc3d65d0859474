// Syncs a folder: `sync-folder.ts <folder> <index> [number of embedding requests after which it hangs]`. Prints what it
// embeds, and its report.
import { createRetriever } from '@agentkit/retriever'
import { countingEmbedder } from './counting-embedder.ts'

const [folder = '', indexPath = '', hangAfter] = process.argv.slice(2)
const embedder = countingEmbedder('acme/small', { dimensions: 8 })
embedder.before = async (texts, request) => {
  if (hangAfter !== undefined && request > Number(hangAfter)) {
    // Gives the earlier vectors time to be stored.
    setTimeout(() => console.log('hangs'), 500)
    await new Promise(() => setTimeout(() => {}, 1e9))
  }
  console.log(JSON.stringify({ embedded: texts }))
}
const retriever = createRetriever({ folder, indexPath, embedder })
console.log('begins')
console.log(JSON.stringify({ report: await retriever.sync() }))
await retriever.close()
