import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { Agent, type AgentOptions, memorySessions, Swarm, type ToolLike, tool } from 'agentkit'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { convertUnits } from './apps/example/src/convert-units.ts'
import { getCurrentTime } from './apps/example/src/get-current-time.ts'
import { getTransactionReceipt } from './apps/example/src/get-transaction-receipt.ts'
import { buildPackages, builtEnvironment } from './scripts/built/index.ts'

// What README, the apps and the guides ask `offline/extractive`, each with the facts that its answer must hold, in any
// wording. Here, as it joins packages, apps and documentation.

const model = 'offline/extractive'
const hash = '0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060'
const isNoModel = 'not a language model'
const nothingFound = 'I found nothing in the files about'

/** What is said, in turns, and the facts of the last answer. */
type Sentence = [message: string | string[], ...facts: (string | RegExp)[]]

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agentkit-offline-'))
  await writeFile(join(folder, 'empty.toml'), '')
})
afterAll(() => rm(folder, { recursive: true, force: true }))

describe('npm start', () => {
  const functions = [getTransactionReceipt, getCurrentTime, convertUnits]
  const receipt = { transactionHash: hash, from: '0xaaa1', to: '0xbbb2', status: '0x1', gasUsed: '0x5208', logs: [] }
  const node = createServer((request, response) => {
    request.resume()
    response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result: receipt }))
  })
  let bare: Agent
  let withFiles: Agent

  beforeAll(async () => {
    node.listen(0, '127.0.0.1')
    await once(node, 'listening')
    vi.stubEnv('RPC_URL', `http://127.0.0.1:${(node.address() as AddressInfo).port}`) // of TCP
    bare = agentWith(functions)
    await mkdir(join(folder, 'files'))
    for (const [file, text] of Object.entries(files)) await writeFile(join(folder, 'files', file), text)
    const retriever = { folder: join(folder, 'files'), indexPath: join(folder, 'index') }
    withFiles = agentWith(functions, { retrieve: true, retriever })
  })
  afterAll(async () => {
    await bare.close()
    await withFiles.close()
    node.close()
    vi.unstubAllEnvs()
  })

  const ofTools: Sentence[] = [
    // The curl line that it prints, and agentkit_config.toml's sample prompts.
    ['What time is it in Tokyo?', isNoModel, 'time', /\d{2}:\d{2}/],
    [`Who is the sender of this transaction - ${hash}`, 'sender', '0xaaa1'],
    ['Convert 26.2 miles to kilometers', '42.1648128'],
    // Of the example's tests.
    ['Convert 10 km to miles', '6.213711922'],
    ['Convert 10 miles to km', '16.09344'],
    ['How many miles are 10 km?', '6.213711922'],
    ['How many feet is 3 m?', '9.842519685'],
    ['what is 3 oz in grams', '85.04856937'],
    ['how many kg is 150 pounds', '68.0388555'],
    ['Who is the sender of transaction 0x5c50?', 'does not say "transactionHash"'],
    ['Convert 10 km', 'does not say "to"'],
    // What else one asks these tools first.
    [`Who is the recipient of ${hash}?`, 'recipient', '0xbbb2'],
    [`Get the receipt of ${hash}`, '0xaaa1', '0xbbb2', '0x5208'],
    ['what time is it in new york', 'time', /\d{2}:\d{2}/],
    ['What time is it?', 'does not say "timeZone"'],
    ['What time is it in Mordor?', 'getCurrentTime', 'Mordor'],
    [['Convert 10 km', 'to miles'], '6.213711922'],
    ['Hello', isNoModel, 'convertUnits'],
    ['What can you do?', isNoModel, 'getTransactionReceipt, getCurrentTime, convertUnits', 'LLMPROVIDER_API_KEY'],
    ['Thanks!', 'welcome'],
  ]

  it.each(ofTools)('answers with its tools: %j', async (message, ...facts) => {
    await expectFacts(bare, message, facts)
  })

  it.each(ofTools)('answers the same beside a folder of files: %j', async (message, ...facts) => {
    await expectFacts(withFiles, message, facts)
  })

  it.each<Sentence>([
    ['What is the capital of Norway?', isNoModel, 'none of my tools fits', 'LLMPROVIDER_API_KEY'],
    ['Write a poem about the sea', 'none of my tools fits'],
    ['asdf', 'none of my tools fits'],
    ['What is the weather in Paris?', 'none of my tools fits'],
  ])('says that none of its tools fits: %s', async (message, ...facts) => {
    await expectFacts(bare, message, facts)
  })

  it.each<Sentence>([
    // Of the example's tests, and of docs/examples/retrieve.ts.
    ['How many days of holidays do I have?', '30 days of holidays a year', 'handbook.md', 'Holidays'],
    ['How many days of holiday are there?', '30 days of holidays a year', 'handbook.md'],
    ['How much vacation do I get?', '30 days of holidays'],
    ['What is the price of the coffee grinder?', 'product: Coffee grinder', 'price: 89.50', 'prices.csv, rows 2–3'],
    ['Do you ship to Canada?', 'Customs duties are paid by the recipient', 'faq.txt'],
    ['Summarise the documents', 'handbook.md, "Employee handbook"', 'faq.txt', 'invoices.csv', 'letter.txt'],
    // What one asks of a handbook, a table and a letter.
    ['What is the amount of invoice 2026-002?', 'amount: 349.50', 'invoices.csv'],
    ['Which invoices are overdue?', '2026-003', 'overdue'],
    ['How many microscopes arrived?', 'twelve microscopes', 'letter.txt'],
    ['When does the summer term begin?', '20 April'],
    ['Who helps with computers?', 'Tom Okafor'],
    ['What is the phone number for salaries?', '555-0142'],
    ['What do I have to hand in for expenses?', 'the receipt', 'the form E-7, signed', 'the name of the project'],
    ['Can I work from home?', 'from home up to three days a week'],
    ["When do I need a doctor's note?", 'from the third day on'],
    ['When is the invoice of Blue Fox due?', 'Blue Fox GmbH', '2026-02-03'],
    [['How many days of holidays are there?', 'And for part-time?'], 'half of them', 'handbook.md'],
    ['What is in letter.txt?', 'twelve microscopes'],
    ['Summarise the handbook', 'how we work together'],
    ['Which files are there?', 'faq.txt', 'handbook.md', 'invoices.csv', 'letter.txt', 'prices.csv'],
    [['My name is Ada.', 'What is my name?'], 'My name is Ada.'],
  ])('answers from the files, with the place: %j', async (message, ...facts) => {
    await expectFacts(withFiles, message, facts)
  })

  it.each<Sentence>([
    ['Who is the president of France?', isNoModel, nothingFound, 'president France'],
    ['What is the capital of Norway?', nothingFound],
    ['What is the weather in Paris?', nothingFound],
    ['Write a poem about the sea', nothingFound],
    ['asdf', nothingFound],
  ])('says that it finds nothing in the files: %s', async (message, ...facts) => {
    await expectFacts(withFiles, message, facts)
  })

  it('cites the passage that it quotes', async () => {
    const { sources } = await withFiles.stream('How many days of holiday are there?').result
    expect(sources.map(({ file }) => file)).toContain('handbook.md')
  })
})

describe('the tools of README and the guides', () => {
  const text = { type: 'string' }
  const number = { type: 'number' }
  const object = (properties: object) => ({ type: 'object', properties, required: Object.keys(properties) })
  const weather = tool({
    name: 'weather',
    description: 'The weather in a city, now.',
    input: object({ city: { ...text, description: 'Name of the city' } }),
    execute: ({ city }) => ({ city, temperature: 7, condition: 'rain' }),
  })
  const refund = tool({
    name: 'refund',
    description: 'Pays a customer money back.',
    input: object({ order: text, euros: number }),
    execute: ({ order, euros }) => `${euros} euros for order ${order} are on their way.`,
  })
  const describeData = tool({
    name: 'describeData',
    description: 'Describes numbers: their sum and their mean.',
    input: object({ data: { type: 'array', items: number } }),
    execute: ({ data }) => ({ sum: (data as number[]).reduce((sum, one) => sum + one, 0), mean: 3 }),
  })
  const search = tool({
    name: 'search',
    description: 'Search the web.',
    input: object({ query: text }),
    execute: ({ query }) => `A page about ${query}`,
  })

  it.each<[name: string, functions: ToolLike[], ...Sentence]>([
    ['README', [weather], 'Do I need an umbrella in Oslo?', isNoModel, 'Oslo', 'temperature', '7', 'rain'],
    ['README', [], 'What is an agent?', isNoModel, 'I cannot answer that', 'no tools'],
    ['README', [refund], 'Order A7 came broken. I want my 80 euros back.', '80 euros for order A7 are on their way.'],
    ['README', [describeData], 'Can you analyze the following data: [1, 2, 3, 4, 5]', 'sum', '15', 'mean', '3'],
    ['a docstring', [weather], 'What is the weather in Paris?', 'Paris', 'rain'],
    ['a test of agentkit', [], 'Hello, who are you?', isNoModel],
    ['a test of agentkit', [search], 'Search for bees.', 'A page about bees'],
  ])('of %s: %o %j', async (_where, functions, message, ...facts) => {
    await expectFacts(agentWith(functions), message, facts)
  })

  it('fill no argument with a value that is not in the message', async () => {
    const output = object({ answer: text, refunded: { type: 'boolean' } })
    const run = agentWith([refund], { output }).stream('Order A7 came broken. I want my 80 euros back.')
    const { error, text: said } = await run.result
    expect(said).toBe('')
    expect(error).toMatchObject({ code: 'unsupported', message: expect.stringContaining('"refunded"') })
  })

  it('work in a swarm that asks all of its members', async () => {
    const member = (name: string, description: string, functions: ToolLike[]) =>
      agentWith(functions, { name, description })
    const agents = [member('Research', 'Finds facts.', []), member('Analyst', 'Analyzes data.', [describeData])]
    const swarm = new Swarm({
      name: 'Research Team',
      agents,
      collaboration: 'parallel',
      model,
      sessions: memorySessions(),
      configPath: join(folder, 'empty.toml'),
    })
    const answer = await swarm.chat('Can you analyze the following data: [1, 2, 3, 4, 5]')
    for (const fact of [isNoModel, 'research', 'I cannot answer that', 'analyst', 'sum', '15']) {
      expect(answer).toContain(fact)
    }
    await swarm.close()
  })
})

describe('programs', () => {
  beforeAll(buildPackages)

  it.each<[program: string, ...(string | RegExp)[]]>([
    ['docs/examples/approvals.ts', "May this run? pay { invoice: '17', euros: 250 }", 'Invoice 17: 250 euros paid.'],
    ['docs/examples/approvals-later.ts', /^approval run_/],
    ['docs/examples/hooks.ts', "calls find_customer { name: 'Ada' }", 'Team', '(a card)', 'Please keep passwords'],
    ['docs/examples/output.ts', '36 ada@example.com'],
    ['apps/swarm/src/app.ts', 'research calls describeData({"data":[1,2,3,4,5]})', /sum\W+(is )?15/, 'rising'],
  ])('%s prints what it shows', async (program, ...facts) => {
    const words = [`--import=${pathToFileURL(join(import.meta.dirname, 'packages/agentkit/dist/register.js'))}`]
    const env = { ...builtEnvironment(), LLMPROVIDER_API_KEY: '', OPENAI_API_KEY: '' }
    const script = join(import.meta.dirname, program)
    const { stdout } = await promisify(execFile)(process.execPath, [...words, script], { env, cwd: folder })
    for (const fact of facts) expect(stdout).toMatch(fact)
  })
})

function agentWith(functions: ToolLike[], more: Partial<AgentOptions> = {}): Agent {
  const configPath = join(folder, 'empty.toml')
  return new Agent({ name: 'Test', functions, model, sessions: memorySessions(), configPath, ...more })
}

let sessions = 0
async function expectFacts(agent: Agent, message: string | string[], facts: readonly (string | RegExp)[]) {
  const sessionId = `session-${sessions++}`
  let answer = ''
  for (const one of [message].flat()) answer = await agent.chat(one, { sessionId })
  for (const fact of facts) {
    if (typeof fact === 'string') expect(answer.toLowerCase()).toContain(fact.toLowerCase())
    else expect(answer).toMatch(fact)
  }
}

const files = {
  'handbook.md': `# Employee handbook

This handbook says how we work together.

## Working hours

The core hours are from 10:00 to 15:00. Everybody plans the rest of the 38 hours of a week freely.

## Holidays

Everybody has 30 days of holidays a year. What is not taken by 31 March is lost.
Those who work part-time have half of them.

## Illness

Call your manager before 9:00 when you are ill. A doctor's note is needed from the third day on.

## Remote work

You may work from home up to three days a week.

## Contacts

| Topic | Person | Phone |
|---|---|---|
| Salaries | Maria Silva | 555-0142 |
| Computers | Tom Okafor | 555-0177 |

## Expenses

Please hand in:

- the receipt
- the form E-7, signed
- the name of the project
`,
  'invoices.csv': `invoice,customer,date,amount,status
2026-001,Acme Ltd,2026-01-12,1200.00,paid
2026-002,Blue Fox GmbH,2026-02-03,349.50,open
2026-003,Acme Ltd,2026-03-17,89.90,overdue
2026-004,Green Valley School,2026-04-01,2450.00,paid
`,
  'prices.csv': 'product,price\nEspresso machine,349.00\nCoffee grinder,89.50\n',
  'faq.txt': 'Frequently asked questions\n\nDo you ship to Canada?\nYes. Customs duties are paid by the recipient.\n',
  'letter.txt': `Green Valley School
12 Hill Road, Oakham

3 April 2026

Dear Ms Silva,

thank you for the twelve microscopes, which arrived on 28 March. Two of them came with a broken lens, so we
would like to have them replaced before the summer term begins on 20 April.

Please call our lab assistant, Mr Harris, at 555-0199 to agree on a time for the pick-up.

Yours sincerely,
Joanna Field
`,
}
