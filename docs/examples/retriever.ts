import { createRetriever, extractFile, isUnreadableFile } from '@agentkit/retriever'

const retriever = createRetriever({ folder: 'handbook', indexPath: 'agentkit-data/index' })

const { indexed, skipped } = await retriever.sync({
  onProgress: ({ filesDone, files }) => console.log(`${filesDone} of ${files} files`),
})
console.log(indexed, skipped) // [{ file: 'scan.pdf', status: 'no-text', reason: '…' }]

const [best] = await retriever.search('days of holiday', { limit: 5, paths: ['rules/'], exts: ['md'] })
if (best) {
  const { text } = await extractFile(`handbook/${best.file}`)
  console.log(text.slice(best.start, best.end) === best.quote) // true
  console.log((await retriever.resolve(best.chunkId)) === best.quote) // true
}

for (const { file } of skipped) {
  try {
    await extractFile(`handbook/${file}`)
  } catch (error) {
    if (!isUnreadableFile(error)) throw error
    console.log(error.status, error.message) // encrypted …
  }
}
await retriever.close()
