import { Agent } from 'agentkit'

const agent = new Agent({
  name: 'Docs',
  instruction: 'You answer from the files, briefly, and name file and page.',
  functions: [],
  retrieve: true, // the files in agentkit-data/files/user
  requiredExts: ['.md', '.pdf'], // default: all six kinds
  retrievalTool: 'localstore', // default: 'basic'
})

const { text, sources } = await agent.stream('How many days of holiday are there?').result
console.log(text)
for (const { file, page, heading, quote, start, end } of sources) {
  console.log(`${file}, page ${page}, "${heading}", characters ${start} to ${end}: ${quote}`)
}
await agent.close()
