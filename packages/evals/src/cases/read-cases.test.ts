import { mkdir, mkdtemp, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { limits } from '../limits.ts'
import { readCases } from './read-cases.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agentkit-cases-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

async function fileOf(name: string, content: string | Uint8Array): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, content)
  return path
}

/** The message of the failure, without the folder. */
async function problemOf(name: string, content: string | Uint8Array): Promise<string> {
  const path = await fileOf(name, content)
  return readCases(path).then(
    () => '',
    ({ code, message }) => `${code}: ${message.replaceAll(path, name)}`,
  )
}

describe('cases of a JSONL file', () => {
  it('are numbered where they have no id', async () => {
    const lines = ['{"input":"One"}', '', '{"id":"two","input":"Two","expected":["a"],"tags":["x"]}', '{"input":"3"}']
    expect(await readCases(await fileOf('good.jsonl', `\uFEFF${lines.join('\r\n')}`))).toEqual([
      { id: '1', input: 'One' },
      { id: 'two', input: 'Two', expected: ['a'], tags: ['x'] },
      { id: '3', input: '3' },
    ])
  })

  it.each<[string, string | Uint8Array, string]>([
    ['a.jsonl', '{"input":"One"}\n{"input":', 'invalid-argument: Line 2 of a.jsonl is not JSON ('],
    ['a.jsonl', '{"input":"One"}\n\n[]', 'invalid-argument: Line 3 of a.jsonl is not a case: a case is an object'],
    [
      'a.jsonl',
      '{"inptu":"One"}',
      'Line 1 of a.jsonl is not a case: Unknown option `case.inptu`. Did you mean `case.input`?',
    ],
    ['a.jsonl', '{"input":" "}', 'Line 1 of a.jsonl has no `input`'],
    ['a.jsonl', '{"input":[{"type":"sound"}]}', 'Line 1 of a.jsonl has a wrong `input`: A part is'],
    ['a.jsonl', '{"input":[{"type":"text"}]}', 'Line 1 of a.jsonl has a wrong `input`: A text part needs `text`.'],
    [
      'a.jsonl',
      '{"input":[{"type":"text","text":" "}]}',
      'Line 1 of a.jsonl has a wrong `input`: The message is empty.',
    ],
    ['a.jsonl', '{"input":"a"}\n{"input":[{"type":"image"}]}', 'Line 2 of a.jsonl has a wrong `input`: A part of type'],
    [
      'a.jsonl',
      '{"input":[{"type":"file","url":"https://a/b"}]}',
      'Line 1 of a.jsonl has a wrong `input`: A part of type',
    ],
    ['a.jsonl', '{"id":7,"input":"One"}', 'Line 1 of a.jsonl has a wrong `id`'],
    ['a.jsonl', '{"id":"","input":"One"}', 'Line 1 of a.jsonl has a wrong `id`'],
    ['a.jsonl', `{"id":"${'x'.repeat(limits.idChars + 1)}","input":"One"}`, 'Line 1 of a.jsonl has a wrong `id`'],
    ['a.jsonl', '{"id":"2","input":"a"}\n{"input":"b"}', 'Line 2 of a.jsonl has the id "2", as line 1 of a.jsonl has.'],
    ['a.jsonl', '{"input":"a","tags":"x"}', 'Line 1 of a.jsonl has wrong `tags`'],
    ['a.jsonl', '{"input":"a","history":[{"role":"robot"}]}', 'Line 1 of a.jsonl has a wrong `history`'],
    ['a.jsonl', '{"input":"a","history":"Hi"}', 'has a wrong `history`: it is a list of messages'],
    ['a.jsonl', '{"input":"a","history":["Hi"]}', 'has a wrong `history`: it is a list of messages'],
    ['a.jsonl', '{"input":"a","userId":7}', 'Line 1 of a.jsonl has a wrong `userId`'],
    ['a.jsonl', '\n \n', 'invalid-argument: a.jsonl has no cases.'],
    [
      'a.jsonl',
      Buffer.concat([Buffer.from('{"input":"One"}\n{"input":"'), Buffer.from([0xe9, 0x22, 0x7d])]),
      'unreadable-file: Line 2 of a.jsonl is not UTF-8. Save the file as UTF-8.',
    ],
    ['a.jsonl', `{"input":"${'x'.repeat(limits.caseBytes)}"}`, 'unreadable-file: Line 1 of a.jsonl has 16777228 bytes'],
    ['a.txt', 'x', 'invalid-argument: `cases` is a path that ends in .jsonl or .csv'],
  ])('of %s are refused with their line (%#)', async (name, content, problem) => {
    expect(await problemOf(name, content)).toContain(problem)
  })

  it('may be 10,000, and have texts of 1 MB', async () => {
    const many = Array.from({ length: 10_000 }, (_, index) => `{"input":"Question ${index}"}`)
    const long = `{"input":"${'x'.repeat(1_000_000)}"}`
    const cases = await readCases(await fileOf('many.jsonl', [...many, long].join('\n')))
    expect(cases.length).toBe(10_001)
    expect(cases.at(-1)?.input.length).toBe(1_000_000)
  })

  it('are not read from a file above the limit, nor are more than the limit', async () => {
    const path = await fileOf('large.jsonl', '')
    await truncate(path, limits.casesBytes + 1)
    await expect(readCases(path)).rejects.toThrow(`has ${limits.casesBytes + 1} bytes, more than`)
    const many = Array(limits.cases + 1).fill({ input: 'a' })
    await expect(readCases(many)).rejects.toThrow('`cases` has 100001 cases, more than 100000. Split it.')
  })

  it('are not read from a missing file, nor from a folder', async () => {
    await expect(readCases(join(folder, 'none.jsonl'))).rejects.toMatchObject({ code: 'not-found' })
    await expect(readCases('none.jsonl')).rejects.toThrow(`none.jsonl in ${process.cwd()}, where the path begins.`)
    await expect(readCases('src.jsonl/../')).rejects.toMatchObject({ code: 'invalid-argument' })
    await mkdir(join(folder, 'folder.jsonl'))
    await expect(readCases(join(folder, 'folder.jsonl'))).rejects.toThrow('is not a file')
  })
})

describe('cases of a CSV file', () => {
  it('have the columns id, input, expected and tags', async () => {
    const text = 'Input,id,expected,tags\n"What, now?",,"Two\nlines","a, b"\n\nPlain,x,,\n'
    expect(await readCases(await fileOf('good.csv', text))).toEqual([
      { id: '1', input: 'What, now?', expected: 'Two\nlines', tags: ['a', 'b'] },
      { id: 'x', input: 'Plain' },
    ])
  })

  it.each([
    ['inptu,id\na,b', 'Line 1 of a.csv has an unknown column "inptu". Did you mean "input"?'],
    ['input;expected\na;b', 'unknown column "input;expected". Separate the cells by commas.'],
    ['id,expected\na,b', 'Line 1 of a.csv has no column "input".'],
    ['input,input\na,b', 'Line 1 of a.csv has the column "input" twice'],
    ['input\n"two\nlines"\na,b', 'Line 4 of a.csv has 2 cells, and there are 1 columns.'],
    ['input\na\n\n"open,b\nc,d\n', 'Line 4 of a.csv is no CSV: '],
    ['input\na\n\n"b\nc"d\n', 'Line 4 of a.csv is no CSV: '],
    ['input,expected\n,b', 'Line 2 of a.csv has no `input`'],
  ])('are refused with their line (%#)', async (content, problem) => {
    expect(await problemOf('a.csv', content)).toContain(problem)
  })
})

it('cases of a list are refused with their number', async () => {
  await expect(readCases([{ input: 'a' }, { input: '' }])).rejects.toThrow('Case 2 has no `input`')
  await expect(readCases([])).rejects.toThrow('`cases` has no cases.')
  await expect(readCases(Array(2))).rejects.toThrow('Case 1 is not a case')
  await expect(readCases([{ input: 'a', expected: 1n }])).rejects.toThrow(
    'Case 1 has an `expected` that cannot be written as JSON.',
  )
  // In JavaScript.
  await expect(readCases(7 as unknown as string)).rejects.toThrow('`cases` is a list of cases, or the path')
})
