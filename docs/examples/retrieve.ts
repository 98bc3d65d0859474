import { mkdir, writeFile } from 'node:fs/promises'
import { Agent } from 'agentkit'

const folder = 'agentkit-data/files/user' // the files that agents answer from
await mkdir(folder, { recursive: true })
await writeFile(`${folder}/handbook.md`, '# Holiday\n\nEvery employee has 30 days of holiday a year.\n')

const agent = new Agent({
  name: 'Docs',
  instruction: 'You answer from the files, briefly, and name file and page.',
  retrieve: true,
  requiredExts: ['.md', '.pdf'], // default: all six kinds
})

const { text, sources, error } = await agent.stream('How many days of holiday are there?').result
console.log(error?.message ?? text)
for (const { file, page, heading, quote, start, end } of sources) {
  const place = page === undefined ? `"${heading}"` : `page ${page}`
  console.log(`${file}, ${place}, characters ${start} to ${end}: ${quote}`)
}
await agent.close()
