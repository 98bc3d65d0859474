import { describe, expect, it } from 'vitest'
import { readFileOf } from '../__fixtures__/read-file-of.ts'
import { parseCsv } from './parse-csv.ts'

async function said(content: string | Uint8Array): Promise<string[]> {
  return (await readFileOf(parseCsv, content)).said
}

describe('parseCsv', () => {
  it('returns name and value of each cell, with the row number of a spreadsheet', async () => {
    const read = await readFileOf(parseCsv, 'name,city\nAnn,Berlin\nBob,\n')
    expect(read.said).toEqual(['row 2: name: Ann\ncity: Berlin', 'row 3: name: Bob'])
    expect(read.text).toBe('name: Ann\ncity: Berlin\n\nname: Bob')
    expect(read.parsed).toEqual({ status: 'ok' })
  })

  it.each([
    ['semicolons, with commas in numbers', 'a;b\n1,5;2,5\n3,5;4,5', ['row 2: a: 1,5\nb: 2,5', 'row 3: a: 3,5\nb: 4,5']],
    ['tabs', 'a\tb\nx, y\t5" pipe', ['row 2: a: x, y\nb: 5" pipe']],
    ['bars', 'a|b\n1|2', ['row 2: a: 1\nb: 2']],
    ['a delimiter that the first line names', 'sep=;\na;b\n"1;2";3', ['row 2: a: 1;2\nb: 3']],
    [
      'spaces before quotes',
      'Name,     "Note", "Age"\nAnn,  "a, b", 41\nBob, """two""\nlines, ""or"" three", 5\nCid, "", ""\n',
      [
        'row 2: Name: Ann\nNote: a, b\nAge: 41',
        'row 3: Name: Bob\nNote: "two"\nlines, "or" three\nAge: 5',
        'row 4: Name: Cid',
      ],
    ],
    ['spaces behind any delimiter', 'sep=\\\na\\ "b"\n1\\ "x\\y"', ['row 2: a: 1\nb: x\\y']],
    ['spaces before some quotes', 'a,b\n1, "x"\n2,"y, z"', ['row 2: a: 1\nb: "x"', 'row 3: a: 2\nb: y, z']],
    ['one column', 'fruit\napple\nbanana, ripe\n', ['row 2: fruit: apple', 'row 3: fruit: banana, ripe']],
    ['a header of one column with a comma in some lines', 'note\n"a, b"\nc', ['row 2: note: a, b', 'row 3: note: c']],
  ])('reads %s', async (_, content, expected) => {
    expect(await said(content)).toEqual(expected)
  })

  it.each([
    ['UTF-8 with a mark', Buffer.from('\ufeffGröße,b\n1,2')],
    ['UTF-16', Buffer.from('\ufeffGröße,b\r\n1,2\r\n', 'utf16le')],
    ['windows-1252', Buffer.from('Gr\xf6\xdfe,b\n1,2', 'latin1')],
  ])('reads %s', async (_, content) => {
    expect(await said(content)).toEqual(['row 2: Größe: 1\nb: 2'])
  })

  it('counts a record with line ends as one row, and empty lines as rows', async () => {
    const content = 'id,note\r\n1,"two\r\nlines"\r\n\r\n,\r\n2,"a ""b"""\r\n\r\n\r\n'
    expect(await said(content)).toEqual(['row 2: id: 1\nnote: two\nlines', 'row 5: id: 2\nnote: a "b"'])
  })

  it.each(['\v', '\f', '\u0085'])('keeps a cell with %j whole, and the row numbers below it', async (sign) => {
    expect(await said(`id,note\n1,two${sign}parts\n2,"a${sign}b"\n`)).toEqual([
      'row 2: id: 1\nnote: two parts',
      'row 3: id: 2\nnote: a b',
    ])
  })

  it('names cells without a name, or with a duplicate one', async () => {
    expect(await said('a,a,,__proto__\n1,2,3,4,5\n6')).toEqual([
      'row 2: a: 1\na (2): 2\ncolumn 3: 3\n__proto__: 4\ncolumn 5: 5',
      'row 3: a: 6',
    ])
  })

  it('finds the header below titles and notes', async () => {
    const read = await readFileOf(parseCsv, 'Stanley Cups,,\nTeam,Location,Won\nBlues,STL,1\nFlyers,PHI,2\n')
    expect(read.said).toEqual([
      'row 1: Stanley Cups',
      'row 3: Team: Blues\nLocation: STL\nWon: 1',
      'row 4: Team: Flyers\nLocation: PHI\nWon: 2',
    ])
    expect(read.parsed.title).toBe('Stanley Cups')
    const report = 'Report\nMade on,2024-01-02\n\nRegion,Q1,Q2,Q3\nNorth,1,2,3\nSouth,5,6,7\nEast,1,1,1\n'
    expect((await said(report)).slice(0, 3)).toEqual([
      'row 1: Report',
      'row 2: Made on · 2024-01-02',
      'row 5: Region: North\nQ1: 1\nQ2: 2\nQ3: 3',
    ])
  })

  it.each([
    ['numbers', '5.1,3.5,setosa\n4.9,3.0,setosa'],
    ['people', 'Ann,30,Berlin\nBob,31,Rome'],
    ['dates', '2024-01-02,start\n2024-01-03,end'],
    ['addresses', 'ann@example.com,Ann\nbob@example.com,Bob'],
    ['a word that comes again in its column', 'red,apple\nred,cherry\nred,rose'],
    ['a record alone', '1,2,3'],
  ])('takes a first record of %s for a record', async (_, content) => {
    const rows = content.split('\n').map((line, index) => `row ${index + 1}: ${line.split(',').join(' · ')}`)
    expect(await said(content)).toEqual(rows)
  })

  it.each([
    ['years', 'country,1990,1995\nPeru,12,13', 'row 2: country: Peru\n1990: 12\n1995: 13'],
    ['one year', 'country,2020\nPeru,67', 'row 2: country: Peru\n2020: 67'],
    ['days above counts', 'place,1/22/20,1/23/20\nHubei,444,445', 'row 2: place: Hubei\n1/22/20: 444\n1/23/20: 445'],
    ['numbers in order', ',0,1\n0,a,4', 'row 2: column 1: 0\n0: a\n1: 4'],
    ['a value that comes again', 'id,type\n1,type\n2,type', 'row 2: id: 1\ntype: type', 'row 3: id: 2\ntype: type'],
    [
      'a question as long as its answers',
      `day,${'why '.repeat(40)}?\n2024-01-02,${'so '.repeat(50)}.`,
      `row 2: day: 2024-01-02\n${'why '.repeat(40)}?: ${'so '.repeat(50)}.`,
    ],
  ])('takes names like %s for names', async (_, content, ...rows) => {
    expect(await said(content)).toEqual(rows)
  })

  it('returns the column names when there is no record', async () => {
    expect(await said('name,city\n')).toEqual(['row 1: name · city'])
    expect(await said('Sales of May,,\nItem,Quantity,Price\n,,\n')).toEqual([
      'row 1: Sales of May',
      'row 2: Item · Quantity · Price',
    ])
  })

  it.each(['', '\n\n', ',,\n,,\n', '\ufeff', 'sep=,\n'])('reports that %j has no text', async (content) => {
    await expect(said(content)).rejects.toMatchObject({ status: 'no-text' })
  })

  it('keeps the records after an unclosed quote', async () => {
    const lines = Array.from({ length: 500 }, (_, index) => `${index},"note, ${index}",x`)
    lines[3] = '3,"never closed,x'
    const read = await readFileOf(parseCsv, `id,note,tag\n${lines.join('\n')}`)
    expect(read.said).toHaveLength(500)
    expect(read.said[3]).toBe('row 5: id: 3\nnote: never closed\ntag: x')
    expect(read.said[499]).toBe('row 501: id: 499\nnote: note, 499\ntag: x')
    expect(read.parsed.status).toBe('low-quality')
    expect(read.parsed.reason).toContain('row 5')
  })

  it('keeps them when no other quote follows, in a long file', async () => {
    const content = `id,note\n1,"never\n${`2,${'plain '.repeat(20)}\n`.repeat(20_000)}3,last`
    const read = await readFileOf(parseCsv, content)
    expect(read.said.at(-1)).toBe('row 20003: id: 3\nnote: last')
    expect(read.parsed.status).toBe('low-quality')
  })

  it('keeps quotes within a cell unchanged', async () => {
    const read = await readFileOf(parseCsv, 'a,b\n"x" y,1\n5" pipe,"say "hi" to\nhim"\n')
    expect(read.said.slice(1)).toEqual(['row 3: a: 5" pipe\nb: say "hi" to\nhim'])
    expect(read.parsed.status).toBe('ok')
  })

  it('reads the names and values of thousands of columns', async () => {
    const cells = (name: string): string => Array.from({ length: 10_000 }, (_, index) => `${name} ${index}`).join(';')
    const [first, ...others] = await said(`${cells('quantity measured')}\n${cells('some words')}\n${cells('other')}\n`)
    expect(first?.split('\n')[9_999]).toBe('quantity measured 9999: some words 9999')
    expect(others).toHaveLength(1)
  })

  it('returns a long file in pieces with consecutive row numbers', async () => {
    const rows = Array.from({ length: 30_000 }, (_, index) => `${index},"text ${index}"`)
    const { said: all, pieces } = await readFileOf(parseCsv, `id,text\n${rows.join('\n')}\n`)
    expect(pieces.length).toBeGreaterThan(2)
    expect(all).toHaveLength(30_000)
    for (const [index, row] of all.entries()) {
      if (row !== `row ${index + 2}: id: ${index}\ntext: text ${index}`) expect.fail(row)
    }
  })

  it('stops between two batches when it is aborted', async () => {
    const stop = new AbortController()
    const reading = parseCsv(Buffer.from(`a,b\n${'1,2\n'.repeat(500_000)}`), stop.signal)
    await reading.next()
    stop.abort(new Error('enough'))
    const rest = async (): Promise<void> => {
      while ((await reading.next()).done !== true);
    }
    await expect(rest()).rejects.toThrow('enough')
  })
})
