import { createRequire } from 'node:module'
import { expect, it } from 'vitest'
import { collectPieces, listBlocks } from '../../__fixtures__/collect-pieces.ts'
import { makePdf, type PdfOptions, type PdfPageOptions } from '../../__fixtures__/make-pdf.ts'
import { parsePdf } from './parse-pdf.ts'

const read = (pages: PdfPageOptions[], options?: PdfOptions): ReturnType<typeof collectPieces> =>
  collectPieces(parsePdf, makePdf(pages, options))
const status = (bytes: Uint8Array): Promise<unknown> => collectPieces(parsePdf, bytes)

it('returns the text of each page', async () => {
  const { pieces, parsed } = await read([{ lines: ['First page.'] }, {}, { lines: ['Third page.'] }])
  expect(pieces.map(({ page, text }) => [page, text.trim()])).toEqual([
    [1, 'First page.'],
    [2, ''],
    [3, 'Third page.'],
  ])
  expect(parsed).toEqual({ status: 'ok', pages: 3 })
})

it('splits paragraphs where the gap is wider, and keeps lines', async () => {
  const { pieces } = await read([{ lines: ['One', 'goes on.', 'And on.', { text: 'Two.', y: 640 }, 'More.', 'End.'] }])
  expect(listBlocks(pieces)).toEqual(['text: One\ngoes on.\nAnd on.', 'text: Two.\nMore.\nEnd.'])
})

it('joins a word that is hyphenated at the end of a line', async () => {
  const { pieces } = await read([{ lines: ['The exam-', 'ple of pages 3-', '5 by Smith-', 'Jones.'] }])
  expect(pieces[0]?.text.trim()).toBe('The example of pages 3-\n5 by Smith-\nJones.')
})

it('keeps distant words of a line separate', async () => {
  const cells = ['Name', 'Price'].map((text, place) => ({ text, x: 72 + place * 200, y: 700 }))
  const { pieces } = await read([{ lines: cells }])
  expect(pieces[0]?.text.trim()).toBe('Name Price')
})

it('reads text once that is printed twice for bold type', async () => {
  const { pieces } = await read([{ lines: [{ text: 'Bold', y: 700 }, { text: 'Bold', x: 72.4, y: 700 }, 'Bold'] }])
  expect(pieces[0]?.text.trim()).toBe('Bold\nBold')
})

it('uses the headings of the outline, at their positions', async () => {
  const outline = [
    {
      title: 'Holidays',
      page: 1,
      children: [
        { title: 'Sick leave', page: 2 },
        { title: 'Lost', page: 2 },
      ],
    },
  ]
  const { pieces } = await read(
    [{ lines: ['Intro.', '1. Holidays', 'There are 30.'] }, { lines: ['Sick leave', 'Call us.', 'Sick leave'] }],
    { outline },
  )
  expect(listBlocks(pieces)).toEqual([
    'text: Intro.',
    'heading 1: 1. Holidays',
    'text: There are 30.',
    'heading 2: Sick leave',
    'text: Call us.\nSick leave',
  ])
})

it('recognizes headings by larger letters when there is no outline', async () => {
  const large = { text: 'Handbook', size: 24 }
  const body = 'This is a line of the body.'
  const { pieces } = await read([
    { lines: [large, { text: body, y: 660 }, body, { text: 'Pay', size: 15, y: 600 }, body] },
  ])
  expect(listBlocks(pieces)).toEqual([
    'heading 1: Handbook',
    `text: ${body}\n${body}`,
    'heading 3: Pay',
    `text: ${body}`,
  ])
})

it('reads the values of a form', async () => {
  const { pieces } = await read([
    { lines: ['Order'], fields: { 'Your name': 'Ann', 'form1[0].f1_2[0]': 'Blue', Empty: '' } },
  ])
  expect(listBlocks(pieces)).toEqual(['text: Order', 'text: Your name: Ann', 'text: Blue'])
})

it('reads notes, and neither passwords nor hidden text', async () => {
  const field = '/Subtype /Widget /FT /Tx /V (secret)'
  const note = '/Subtype /FreeText /DA (/F1 9 Tf)'
  const hidden = [2, 32].flatMap((flag) => [`${field} /F ${flag}`, `${note} /Contents (secret) /F ${flag}`])
  const annotations = [`${note} /Contents (Agreed.) /F 4`, `${field} /Ff 8192`, ...hidden]
  const { pieces } = await read([{ lines: ['Order'], annotations }])
  expect(listBlocks(pieces)).toEqual(['text: Order', 'text: Agreed.'])
})

it('reads the boxes of a form that are ticked, and the buttons that are chosen', async () => {
  const boxes = [
    { name: 'Gift wrap', value: 'Yes', chosen: 'Yes' },
    { name: 'Express', value: 'Yes' },
    { name: 'Colour', value: 'Blue', chosen: 'Blue', isRadio: true },
    { name: 'Colour', value: 'Red', chosen: 'Blue', isRadio: true },
    { name: 'Size', value: '2', chosen: '2', isRadio: true },
    { name: 'form1[0].b[1]', value: '1', chosen: '1', label: 'I smoke:' },
    { name: 'form1[0].b[2]', value: '1', chosen: '1' },
    { name: 'form1[0].b[3]', value: 'Vegan', chosen: 'Vegan' },
  ] as const
  const { pieces } = await read([{ lines: ['Order'], boxes }])
  expect(listBlocks(pieces)).toEqual([
    'text: Order',
    ...['Gift wrap: yes', 'Colour: Blue', 'Size: 2', 'I smoke: yes', 'Vegan'].map((value) => `text: ${value}`),
  ])
})

it.each([
  ['a title', 'The handbook', 'The handbook'],
  ['what Word prints', 'Microsoft Word - The handbook', 'The handbook'],
  ['the name of a file', 'handbook_v3.docx', undefined],
  ['nothing', ' ', undefined],
  ['no name', 'Untitled', undefined],
  ['what ReportLab writes where there is none', '(anonymous)', undefined],
])('of %s makes the title', async (_, title, expected) => {
  expect((await read([{ lines: ['Hello'] }], { title })).parsed.title).toBe(expected)
})

it('names the pages that have only pictures', async () => {
  const text = { lines: ['Some text.'] }
  const { parsed } = await read([text, { image: true }, { image: true }, text, { image: true }, {}])
  expect(parsed).toEqual({
    status: 'low-quality',
    pages: 6,
    reason: 'Pages 2–3, 5 have no text, only pictures: they need OCR.',
  })
})

it('reads old encodings of Japanese with the tables of pdfjs-dist, or reports that they are needed', async () => {
  // Shift JIS for あい
  const reading = read([{ lines: [{ text: '\x82\xa0\x82\xa2', isJapanese: true }] }])
  if (isInstalled('pdfjs-dist')) expect((await reading).pieces[0]?.text.trim()).toBe('あい')
  else
    await expect(reading).rejects.toMatchObject({
      status: 'no-text',
      message: expect.stringMatching(/90ms-RKSJ-H.*npm i pdfjs-dist/),
    })
})

function isInstalled(name: string): boolean {
  try {
    return createRequire(import.meta.url).resolve(`${name}/package.json`) !== ''
  } catch {
    return false
  }
}

it('reports that a page is a placeholder for a form of another program', async () => {
  const { parsed } = await read([{ lines: ['Please wait...'] }], { xfa: true })
  expect(parsed).toMatchObject({
    status: 'low-quality',
    reason: expect.stringMatching(/^Page 1 stands for an XFA form/),
  })
})

it('does not mistake an empty page for a picture', async () => {
  const { parsed } = await read([
    { lines: ['Text.'] },
    { operators: 'q 1 0 0 1 9 9 cm q 0 0 9 9 re f Q Q BT /F1 9 Tf ( ) Tj ET' },
  ])
  expect(parsed.status).toBe('ok')
})

// The output of a font whose codes are shifted by 29, which is common.
const shifted = (text: string): string =>
  text.replace(/[ -~]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) - 29))
const sentence = 'The notes of the meeting are sent to all who attended it, on the same day.'

it('names the pages whose text layer is garbage, and returns their text', async () => {
  const garbled = { lines: Array.from('123456', (line) => shifted(`${sentence} ${line}`)) }
  const { pieces, parsed } = await read([{ lines: [sentence] }, garbled])
  expect(parsed).toEqual({ status: 'low-quality', pages: 2, reason: 'Page 2 has a garbled text layer.' })
  expect(pieces[1]?.text).toContain('PHHWLQJ')
})

it('detects garbage of ordinary letters', async () => {
  const noVowels = sentence.replace(/[aeiouy]/g, 'q')
  const { parsed } = await read([{ lines: [noVowels, noVowels, noVowels, noVowels] }])
  expect(parsed.status).toBe('low-quality')
})

it('names the pages with spaced words', async () => {
  const apart = { lines: ['T h i s i s a l e t t e r', 'o f t h e c o u r t.'] }
  const { pieces, parsed } = await read([{ lines: [sentence] }, apart, { lines: ['I N V O I C E', sentence] }])
  expect(parsed).toMatchObject({
    status: 'low-quality',
    reason: 'Page 2 has words whose letters stand apart ("l e t t e r"): run OCR over it again.',
  })
  expect(pieces[1]?.text).toContain('l e t t e r')
})

it.each([
  ['code', 'const fooBar = getValue(x1, y2) + 17; printf("%d", strlen(str));'],
  ['numbers', 'A1 12.5 B2 13.5 C3 14.5 D4 15.5 E5 16.5 F6 17.5 G7 18.5'],
  ['German', 'Der schnelle braune Fuchs springt durch Schwarzwald und Strumpfband.'],
])('does not mistake %s for garbage', async (_, line) => {
  const { parsed } = await read([{ lines: [line, `${line} `, `${line}  `, `${line}   `, `${line}    `] }])
  expect(parsed.status).toBe('ok')
})

it.each([
  [
    'a scan',
    makePdf([{ image: true }, { image: true }]),
    'no-text',
    /None of its 2 pages has text, only pictures.*OCR/,
  ],
  ['an empty page', makePdf([{}]), 'no-text', /only page has no text/],
  [
    'a text layer of which nothing is left',
    makePdf([{ lines: [{ text: 'Hello', isPrivate: true }] }]),
    'no-text',
    /garbled/,
  ],
  ['a password', makePdf([{ lines: ['Secret'] }], { password: true }), 'encrypted', /password/],
  ['bytes that are no PDF', new TextEncoder().encode('%PDF-1.4\nhello'), 'corrupt', /damaged/],
  ['a PDF without its end', makePdf([{ lines: ['Hello'] }]).slice(0, 60), 'corrupt', /damaged/],
])('reports %s', async (_, bytes, expected, reason) => {
  await expect(status(bytes)).rejects.toMatchObject({
    code: 'unreadable-file',
    status: expected,
    message: expect.stringMatching(reason),
  })
})

it('reads a PDF after other bytes, and one with a misplaced object table', async () => {
  const whole = makePdf([{ lines: ['Hello'] }])
  const behind = Buffer.concat([Buffer.from('X-Mail: yes\r\n\r\n'), whole])
  const lost = Buffer.from(
    Buffer.from(whole)
      .toString('latin1')
      .replace(/startxref\n\d+/, 'startxref\n9'),
    'latin1',
  )
  for (const bytes of [new Uint8Array(behind), new Uint8Array(lost)])
    expect((await collectPieces(parsePdf, bytes)).pieces[0]?.text.trim()).toBe('Hello')
})

it('stops between two pages', async () => {
  const stop = new AbortController()
  const pages = parsePdf(makePdf([{ lines: ['One'] }, { lines: ['Two'] }]), stop.signal)
  expect((await pages.next()).value).toMatchObject({ page: 1 })
  stop.abort()
  await expect(pages.next()).rejects.toThrow(/abort/)
})

it('yields to the event loop between two pages', async () => {
  let turns = 0
  const count = (): void => {
    turns += 1
    next = setImmediate(count)
  }
  let next = setImmediate(count)
  await read(Array.from({ length: 20 }, (_, page) => ({ lines: [`Page ${page}`] })))
  clearImmediate(next)
  expect(turns).toBeGreaterThanOrEqual(20)
})
