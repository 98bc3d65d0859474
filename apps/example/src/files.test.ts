import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent, memorySessions } from 'agentkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { convertUnits } from './convert-units.ts'
import { getCurrentTime } from './get-current-time.ts'

const files = {
  'handbook.md': `# Employee handbook

This handbook says how we work together.

## Holidays

Everybody has 30 days of holidays a year. What is not taken by 31 March is lost.
`,
  'prices.csv': 'product,price\nEspresso machine,349.00\nCoffee grinder,89.50\n',
  'faq.txt': 'Frequently asked questions\n\nDo you ship to Canada?\nYes. Customs duties are paid by the recipient.\n',
}
let folder: string
let agent: Agent

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agentkit-example-files-'))
  await mkdir(join(folder, 'files'))
  for (const [file, text] of Object.entries(files)) await writeFile(join(folder, 'files', file), text)
  agent = new Agent({
    name: 'Test',
    functions: [convertUnits, getCurrentTime],
    model: 'offline/extractive',
    sessions: memorySessions(),
    retrieve: true,
    retriever: { folder: join(folder, 'files'), indexPath: join(folder, 'index') },
  })
})

afterAll(async () => {
  await agent.close()
  await rm(folder, { recursive: true, force: true })
})

describe('a folder of files, without any key', () => {
  it.each([
    [
      'How many days of holidays do I have?',
      '"Everybody has 30 days of holidays a year." (handbook.md, "Employee handbook > Holidays")',
    ],
    ['How much vacation do I get?', '30 days of holidays'],
    ['What is the price of the coffee grinder?', '"product: Coffee grinder, price: 89.50" (prices.csv, rows 2–3)'],
    ['Do you ship to Canada?', '"Yes. Customs duties are paid by the recipient." (faq.txt)'],
    ['Who is the president of France?', 'I found nothing in the files about "president France".'],
    ['Summarise the documents', '- handbook.md, "Employee handbook": "'],
    ['Convert 10 km to miles', '6.213711922'],
    ['Convert 10 km', 'your message does not say "to"'],
  ])('answers: %s', async (question, answer) => {
    expect(await agent.chat(question, { sessionId: question })).toContain(answer)
  })

  it('cites the passage that it quotes', async () => {
    const { sources } = await agent.stream('How many days of holidays are there?').result
    expect(sources.map(({ file }) => file)).toContain('handbook.md')
  })
})
