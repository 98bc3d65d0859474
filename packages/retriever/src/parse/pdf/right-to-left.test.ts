import { expect, it } from 'vitest'
import { collectPieces } from '../../__fixtures__/collect-pieces.ts'
import { makePdf, type PdfLine } from '../../__fixtures__/make-pdf.ts'
import { parsePdf } from './parse-pdf.ts'
import { isRightToLeft, lineInOrder, withOpenBrackets } from './right-to-left.ts'

const arabic = 'وصل القطار إلى المدينة في الساعة السابعة'
const hebrew = 'שלום לכולם, הילדים הולכים אל הים'

const fromTheLeft = (text: string): string => [...text].reverse().join('')

const fromTheLeftIfRight = (word: string): string => (isRightToLeft(word) ? fromTheLeft(word) : word)

async function read(lines: readonly PdfLine[]): Promise<{ text: string | undefined; status: string; reason?: string }> {
  const { pieces, parsed } = await collectPieces(parsePdf, makePdf([{ lines }]))
  return { ...parsed, text: pieces[0]?.text.trim() }
}

/** Each word in an item of its own, from the left. */
function words(text: string): PdfLine[] {
  return text.split(' ').map((word, place) => ({ text: word, font: 'wide', size: 6, x: 20 + place * 75, y: 700 }))
}

/** Each letter in an item of its own, in logical order, from the right. */
function letters(text: string): PdfLine[] {
  return [...text].map((letter, place) => ({ text: letter, font: 'wide', x: 580 - place * 12, y: 700 }))
}

it.each([arabic, hebrew])(
  'puts the words of a line into the order of reading, however it is drawn: %s',
  async (text) => {
    const whole = (drawn: string): PdfLine => ({ text: drawn, font: 'wide', y: 700 })
    const expected = { text, status: 'ok' }
    expect(await read([whole(fromTheLeft(text))])).toMatchObject(expected)
    expect(await read(words(fromTheLeft(text)))).toMatchObject(expected)
    expect(await read(letters(text).filter(({ text: letter }) => letter !== ' '))).toMatchObject(expected)
    // Drawn from the left in logical order, which looks wrong on the page.
    expect(await read([whole(text)])).toMatchObject(expected)
  },
)

it('keeps numbers and words of other scripts in their order', async () => {
  expect(await read(words(`DEF ABC ${fromTheLeft('المدينة')} 12.50 ${fromTheLeft('القطار')}`))).toMatchObject({
    text: 'القطار 12.50 المدينة DEF ABC',
  })
  expect(await read(words('Hello to you'))).toMatchObject({ text: 'Hello to you' })
})

it.each([
  ['a number at the end', 'القطار في سنة 2025.', ['.2025', 'سنة', 'في', 'القطار']],
  ['a year after a hyphen', 'חוק ב-1987, בישראל', ['בישראל', ',', '1987-', 'ב', 'חוק']],
  ['a price', 'המחיר $5 בלבד', ['בלבד', '$5', 'המחיר']],
  ['words of another script', 'גרסה של Windows 2.0!', ['!', 'Windows', '2.0', 'של', 'גרסה']],
  ['a number in brackets', 'חוק (5) בישראל', ['בישראל', '(5)', 'חוק']],
  ['words in brackets', 'חוק (בטא) [של] בישראל', ['בישראל', ']', 'של', '[', ')', 'בטא', '(', 'חוק']],
])('puts the punctuation of a line into the order of reading: %s', async (_, text, drawn) => {
  const items = drawn.map(
    (word, place): PdfLine => ({ text: fromTheLeftIfRight(word), font: 'wide', size: 6, x: 20 + place * 60, y: 700 }),
  )
  const { text: found } = await read(items)
  expect(found?.replace(/\s/g, '')).toBe(text.replace(/\s/g, ''))
})

it('puts a single row of words and a number into the order of reading', async () => {
  const row = (words: string): PdfLine[] => [
    { text: '.1998', font: 'wide', size: 6, x: 20, y: 700 },
    { text: fromTheLeft(words), font: 'wide', size: 6, x: 95, y: 700 },
  ]
  expect(await read(row('החברה נוסדה בשנת'))).toMatchObject({ text: 'החברה נוסדה בשנת 1998.' })
  expect(await read(words(`Hello ${fromTheLeft('שלום')} world`))).toMatchObject({ text: 'Hello שלום world' })
})

it('keeps the place of a name on a page in another script', async () => {
  const name = fromTheLeft('החשמל')
  const page: PdfLine[] = [
    { text: 'The following list has the full names of companies.', font: 'wide', size: 4, y: 700 },
    { text: '1', font: 'wide', size: 6, x: 20, y: 650 },
    { text: name, font: 'wide', size: 6, x: 95, y: 650 },
    { text: 'CO', font: 'wide', size: 6, x: 400, y: 650 },
  ]
  expect((await read(page)).text).toMatch(/1 החשמל CO$/)
})

it('keeps brackets that are right, or of which one is missing', () => {
  for (const line of ['חוק (5) בישראל', '1) שלום', 'f)x( is no Hebrew', ':-) שלום'])
    expect(withOpenBrackets(line)).toBe(line)
  expect(withOpenBrackets(')שלום(')).toBe('(שלום)')
})

it('warns when it cannot determine the order', async () => {
  const both = [arabic, fromTheLeft(arabic)].map(
    (text, place): PdfLine => ({ text, font: 'wide', y: 700 - place * 20 }),
  )
  expect(await read(both)).toMatchObject({
    status: 'low-quality',
    reason: 'Page 1 may have words from right to left in the wrong order, and they may not be found.',
  })
})

it('keeps a run of any length in its order', () => {
  const latin = 'ab'.repeat(200_000)
  const item = { str: `${latin}${'ا'.repeat(400_000)}`, dir: 'rtl', width: 1, height: 1, transform: [1, 0, 0, 1, 0, 0] }
  const [only] = lineInOrder([{ ...item, fontName: '', hasEOL: false }], { isTurned: true, isRightPage: true })
  expect(only?.str.endsWith(`ا${latin}`)).toBe(true)
})
