import type { ToolSpec } from '@agentkit/core'
import { describe, expect, it } from 'vitest'
import { callsFor, converse } from './__fixtures__/ask.ts'
import { officeTools } from './__fixtures__/tools.ts'

const text = { type: 'string' }
const search: ToolSpec = {
  name: 'search_files',
  description: 'Finds passages in the files. There are 2 files: handbook.md ("Employee handbook"), prices.csv.',
  inputSchema: {
    type: 'object',
    properties: { query: text, files: { type: 'array', items: text }, limit: { type: 'integer' } },
    required: ['query'],
  },
}
const read: ToolSpec = {
  name: 'read_file',
  description: 'Reads one of the files.',
  inputSchema: {
    type: 'object',
    properties: { file: text, part: { type: 'integer' }, heading: text },
    required: ['file'],
  },
}
const list: ToolSpec = {
  name: 'list_files',
  description: 'Lists the files.',
  inputSchema: { type: 'object', properties: { folder: text, after: text } },
}
const fileTools = [search, read, list]
const [weather] = officeTools.filter(({ name }) => name === 'getWeather') as [ToolSpec]
const tools = [weather, ...fileTools]

const holidays = `[1] handbook.md, page 3, "Holidays"
## Holidays

Everybody has 30 days of holidays a year. Holidays that are not taken by
31 March are lost.

[2] handbook.md, page 4, "Illness"
## Illness

A doctor's note is needed from the third day on.`
const nothing = 'Nothing in the 2 files matches "x". Try other words, or see list_files for what there is.'
const listing = `handbook.md: "Employee handbook", 3 pages, 1,234 characters
old.doc: cannot be read: an old .doc: save it as .docx.
prices.csv: 1,234 characters`
const introduction = 'I am the offline stand-in, not a language model.'

type Results = Parameters<typeof converse>[1]

/** The answer to one message without the introduction, and the calls before it. */
async function ask(message: string, results: Results): Promise<{ answer: string; calls: unknown[] }> {
  const { answers, calls } = await converse([message], results, { tools })
  return {
    answer: answers[0]?.replace(introduction, '').trim() ?? 'no answer',
    calls: calls.map(({ name, input }) => [name, input]),
  }
}

describe('a question that no other tool answers', () => {
  it('is searched for by the words that matter, and answered by a quotation with its place', async () => {
    const { answer, calls } = await ask('When do we need a note from a doctor?', { search_files: holidays })
    expect(calls).toEqual([['search_files', { query: 'note doctor' }]])
    expect(answer).toBe('"A doctor\'s note is needed from the third day on." (handbook.md, page 4, "Illness")')
  })

  it('is searched for by words that stand for its own too', async () => {
    const { answer, calls } = await ask('How many days of vacation are there?', { search_files: holidays })
    expect(calls).toEqual([['search_files', { query: 'days vacation holiday leave' }]])
    expect(answer).toBe('"Everybody has 30 days of holidays a year." (handbook.md, page 3, "Holidays")')
  })

  it('is searched for within the file that it names', async () => {
    expect(await callsFor('What does handbook.md say about illness?', tools)).toEqual([
      ['search_files', { query: 'illness sick ill', files: ['handbook.md'] }],
    ])
  })

  it('is searched for once, and the answer says that nothing was found', async () => {
    const { answer, calls } = await ask('Who is the president of France?', { search_files: nothing })
    expect(calls).toHaveLength(1)
    expect(answer).toBe('I found nothing in the files about "president France".')
  })

  it('is not answered by what only shares a word that says little', async () => {
    const { answer } = await ask('Who founded the company in the third century?', { search_files: holidays })
    expect(answer).toMatch(/^I found (?:nothing|no plain answer) in the files/)
  })

  it('takes the subject of the question before, where it goes on from it', async () => {
    const { calls } = await converse(
      ['How many days of holidays are there?', 'And part-time?'],
      { search_files: holidays },
      { tools },
    )
    expect(calls.at(-1)?.input).toEqual({ query: 'part time days holidays' })
  })

  it('falls back to the text of the system when the files do not answer', async () => {
    const { answers } = await converse(
      ['What is the support phone number?'],
      { search_files: nothing },
      { tools, system: 'You help. The support phone number is 555-0100.' },
    )
    expect(answers[0]).toContain('"The support phone number is 555-0100."')
  })
})

describe('what a passage says', () => {
  it.each([
    [
      'a row of a CSV file',
      'What does the coffee grinder cost?',
      '[1] prices.csv, rows 2–3\nproduct: Coffee grinder\nprice: 89.50\n\nproduct: Descaler\nprice: 7.95',
      '"product: Coffee grinder, price: 89.50" (prices.csv, rows 2–3)',
    ],
    [
      'a row of a table',
      'Which person helps with computers?',
      '[1] a.md\n| Help with | Person |\n|---|---|\n| Salaries | Maria |\n| Computers | Tom |',
      '"Help with: Computers, Person: Tom" (a.md)',
    ],
    [
      'the answer below a question',
      'Do you ship to Canada?',
      '[1] faq.txt\nHow long does it take?\nTwo days.\n\nDo you ship to Canada?\nYes. Customs duties are paid by the recipient.',
      '"Yes. Customs duties are paid by the recipient." (faq.txt)',
    ],
    [
      'the list below a sentence',
      'What must visitors bring along?',
      '[1] a.md\nVisitors must bring:\n\n- a passport\n- a letter\n\nThe door is green.',
      '"Visitors must bring: a passport; a letter" (a.md)',
    ],
    [
      'a sentence that was broken for its length',
      'Which holidays are lost?',
      holidays,
      '"Holidays that are not taken by 31 March are lost." (handbook.md, page 3, "Holidays")',
    ],
  ])('is quoted: %s', async (_what, question, found, answer) => {
    expect((await ask(question, { search_files: found })).answer).toBe(answer)
  })
})

describe('asked about the files themselves', () => {
  const files = {
    list_files: listing,
    read_file: (input: unknown) =>
      `${(input as { file: string }).file}\n\n[page 1]\nWelcome.\n\n[page 2]\nThis says how the company works together.`,
  }

  it.each(['Summarise the documents', 'What is in the files?', 'What do you know?', 'Give me an overview'])(
    'lists them, reads those that can be read, and has a line for each: %s',
    async (question) => {
      const { answer, calls } = await ask(question, files)
      expect(calls).toEqual([
        ['list_files', {}],
        ['read_file', { file: 'handbook.md' }],
        ['read_file', { file: 'prices.csv' }],
      ])
      expect(answer).toBe(
        '- handbook.md, "Employee handbook": "This says how the company works together."\n' +
          '- prices.csv: "This says how the company works together."\n' +
          '- old.doc: cannot be read: an old .doc: save it as .docx.',
      )
    },
  )

  it('reads eight, and says how many more there are', async () => {
    const many = Array.from({ length: 12 }, (_, index) => `file-${index}.md: 10 characters`).join('\n')
    const { answer, calls } = await ask('Summarise the files', { ...files, list_files: many })
    expect(calls).toHaveLength(9)
    expect(answer).toContain('There are 4 more files.')
  })

  it.each([
    ['Summarise handbook.md', ['read_file']],
    ['Summarise the handbook', ['list_files', 'read_file']],
    ['Summarise the holiday rules', ['list_files', 'search_files']],
    ['Which files are there?', ['list_files']],
  ])('calls no more than it needs: %s', async (question, names) => {
    const { calls } = await converse([question], { ...files, search_files: holidays }, { tools: fileTools })
    expect(calls.map(({ name }) => name)).toEqual(names)
  })

  it('says that there is no such file', async () => {
    const unknown = 'There is no file "none.md". See list_files for what there is.'
    expect((await ask('Summarise none.md', { ...files, read_file: unknown })).answer).toBe(
      'There is no file "none.md".',
    )
  })
})

describe('what is not searched for', () => {
  it.each(['Hello', 'Thanks', 'What can you do?', 'Are you a robot?', 'My dog is called Rex', 'Do not do that'])(
    'small talk, statements and refusals: %s',
    async (message) => {
      expect(await callsFor(message, tools)).toEqual([])
    },
  )

  it('what another tool answers', async () => {
    expect(await callsFor('What is the weather in Paris?', tools)).toEqual([['getWeather', { city: 'Paris' }]])
  })

  it('what another tool would answer, if it were told all', async () => {
    const { answer, calls } = await ask("What's the weather?", {})
    expect(calls).toEqual([])
    expect(answer).toContain('I would call getWeather, but your message does not say "city"')
  })

  it('what the message itself says', async () => {
    expect(await callsFor('Text: The Nile is 6650 km long.\n\nHow long is the Nile?', tools)).toEqual([])
  })

  it('what the user has told', async () => {
    const { answers, calls } = await converse(['My name is Ada.', 'What is my name?'], {}, { tools })
    expect(calls).toEqual([])
    expect(answers[1]).toBe('You told me: "My name is Ada."')
  })

  it('anything, where search_files is a tool of another shape', async () => {
    const other: ToolSpec = {
      ...search,
      inputSchema: { type: 'object', properties: { pattern: text, folder: text }, required: ['pattern', 'folder'] },
    }
    expect(await callsFor('How many days of holidays are there?', [other])).toEqual([])
  })
})
