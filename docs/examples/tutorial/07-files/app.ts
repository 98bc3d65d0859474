import { join } from 'node:path'
import { Agent } from 'agentkit'

const agent = new Agent({
  name: 'Handbook',
  instruction: 'You answer from the files, and name the file.',
  model: 'offline/extractive',
  retrieve: true,
  retriever: { folder: join(import.meta.dirname, 'handbook'), indexPath: 'agentkit-data/index' },
})

const { text, sources } = await agent.stream('When is first class allowed on trains?').result
console.log(text)
for (const { file, heading, quote } of sources) console.log(`${file}, "${heading}": ${quote}`)
await agent.close()
