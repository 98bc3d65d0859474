import { expect, it } from 'vitest'
import { collectPieces } from '../../__fixtures__/collect-pieces.ts'
import { makePdf, type PdfLine } from '../../__fixtures__/make-pdf.ts'
import { joinColumns } from './page-columns.ts'
import { parsePdf } from './parse-pdf.ts'

const columns = ['灯火は', '青白く', '揺れた。']

/** Each character at a position of its own, a column every 20 points from the right. */
function signs(font: 'wide' | 'vertical', step: number, texts = columns, right = 500): PdfLine[] {
  return texts.flatMap((column, place) =>
    [...column].map((text, row) => ({ text, font, x: right - place * 20, y: 700 - row * step })),
  )
}

async function textOf(lines: readonly (PdfLine | string)[]): Promise<string> {
  const { pieces } = await collectPieces(parsePdf, makePdf([{ lines }]))
  return pieces.map(({ text }) => text.trim()).join('\f')
}

it.each([
  ['signs that are placed one by one', signs('wide', 13)],
  ['signs of a vertical font', columns.map((text, place) => ({ text, font: 'vertical', x: 500 - place * 20, y: 700 }))],
  ['signs of a vertical font a little apart', signs('vertical', 14)],
  ['signs of a vertical font far apart', signs('vertical', 21)],
  [
    'columns that are written from the left',
    columns.flatMap((_, place) => signs('wide', 13, [columns[2 - place] ?? ''], 460 + place * 20)),
  ],
] satisfies [string, PdfLine[]][])('reads a column as a line, from the right: %s', async (_, lines) => {
  expect(await textOf(lines)).toBe('灯火は\n青白く\n揺れた。')
})

it('reads each row of columns separately, and the text around it', async () => {
  const lower = signs(
    'wide',
    13,
    ['夜', '闇'].map((sign) => `${sign}の道`),
  ).map((line) => ({ ...line, y: (line.y ?? 0) - 100 }))
  expect(await textOf(['Title', ...signs('wide', 13), ...lower, { text: 'Page 3', y: 50 }])).toBe(
    'Title\n灯火は\n青白く\n揺れた。\n\n夜の道\n闇の道\n\nPage 3',
  )
})

it('leaves short cells of a table, and distant characters, on lines of their own', async () => {
  expect(await textOf(['A', 'B', '12', '13'])).toBe('A\nB\n12\n13')
  expect(await textOf(signs('wide', 30, ['月火水']))).toBe('月\n火\n水')
  expect(
    await textOf([
      { text: '灯火は青白く', font: 'wide', y: 700 },
      { text: '揺れた', font: 'wide', y: 684 },
    ]),
  ).toBe('灯火は青白く\n揺れた')
})

it('reads a line of more items than a call has room for arguments', () => {
  const item = {
    str: 'a',
    dir: 'ltr',
    transform: [1, 0, 0, 1, 0, 0],
    width: 1,
    height: 1,
    fontName: 'f',
    hasEOL: false,
  }
  const items = Array.from({ length: 200_000 }, (_, place) => ({ ...item, transform: [9, 0, 0, 9, 50, -place * 9] }))
  expect(joinColumns({ items, styles: { f: { vertical: false } } } as never).length).toBe(items.length)
})
