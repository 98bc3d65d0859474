import { expect, it } from 'vitest'
import { timeSlices } from '../util/time-slices.ts'
import { likeWords, withLikeWords } from './like-words.ts'
import { liveSegment } from './live-segment.ts'
import { queryWords } from './query-words.ts'
import { segmentBuilder } from './segment-builder.ts'

async function formsOf(query: string, texts: readonly string[]): Promise<string[][]> {
  const builder = segmentBuilder()
  for (const [number, text] of texts.entries()) builder.add({ doc: number + 1, file: 1, text })
  const segment = liveSegment(await builder.build(timeSlices()), new Uint8Array())
  const words = await likeWords([segment], queryWords(query), timeSlices())
  return words.map(({ forms }) => forms.map(({ term }) => term))
}

it('exchanges those words of a query that no text has, if any text has another one', async () => {
  const builder = segmentBuilder()
  for (const [number, text] of ['travel policy', 'accommodation allowance', 'preordered'].entries())
    builder.add({ doc: number + 1, file: 1, text })
  const segments = [liveSegment(await builder.build(timeSlices()), new Uint8Array())]
  const termsOf = async (query: string): Promise<string[][]> => {
    const words = await withLikeWords(segments, queryWords(query), timeSlices())
    return words.map(({ forms }) => forms.map(({ term }) => term))
  }
  expect(await termsOf('acommodation policy')).toEqual([['polici'], ['accommod']])
  expect(await termsOf('travel policy')).toEqual([['travel'], ['polici']])
  expect(await termsOf('acommodation alowance')).toEqual([['acommod'], ['alow']])
  expect(await termsOf('policy 2026 abc')).toEqual([['polici'], ['2026'], ['abc']])
})

it('puts the word itself first, then the nearer words', async () => {
  const texts = ['contract', 'contracts', 'contact', 'contrast', 'contractor', 'contraction', 'abstract', 'con']
  expect(await formsOf('contract', texts)).toEqual([['contract', 'contractor', 'contact', 'contrast']])
})

it('allows no mistake in short words and numbers, one in longer ones, two in long ones', async () => {
  expect(await formsOf('wax', ['tax', 'wa', 'waxwork'])).toEqual([['waxwork']])
  expect(await formsOf('2026', ['2025', '20261'])).toEqual([['20261']])
  expect(await formsOf('honey', ['hony', 'honney', 'hny'])).toEqual([['honi', 'honnei']])
  expect(await formsOf('zeppelin', ['zepelin', 'zepelim', 'zepeim'])).toEqual([['zepelin', 'zepelim']])
})

it.each([
  ['holidya', 'holidays'],
  ['hloidays', 'holiday'],
  ['dayz', 'days'],
  ['hollidays', 'holiday'],
  ['recieve', 'receive'],
  ['contrcat', 'contract'],
  ['hnoey', 'honey'],
  ['womd', 'word'],
])('finds a word with two letters swapped, or one wrong: %s, of %s', async (wrong, text) => {
  expect(await formsOf(wrong, [text])).toEqual(await formsOf(text, [text]))
})

it('finds longer Japanese words by their beginning', async () => {
  expect(await formsOf('報告', ['報告書', '書'])).toEqual([['報告書']])
})

it.each([
  ['Urlaub', ['Jahresurlaubsanspruch']],
  ['إجازة', ['الإجازة']],
])('finds %s within longer words', async (word, texts) => {
  expect(await formsOf(word, texts)).toEqual(await formsOf(texts.join(' '), texts))
})

it('finds a Korean noun within longer ones with a particle', async () => {
  expect(await formsOf('휴가', ['유급휴가를'])).toEqual([['유급휴가']])
})

it('finds no short words and no numbers within others, and puts words with the same beginning first', async () => {
  expect(await formsOf('rent', ['parents', 'current'])).toEqual([[]])
  expect(await formsOf('2345', ['912345678'])).toEqual([[]])
  expect(await formsOf('urlaub', ['jahresurlaub', 'urlaubsgeld'])).toEqual([['urlaubsgeld', 'jahresurlaub']])
})

it('finds shorter forms of a word, and no short words that it begins with', async () => {
  expect(await formsOf('vermietern', ['vermieter', 'verm', 'ver'])).toEqual(await formsOf('vermieter', ['vermieter']))
  expect(await formsOf('carpeting', ['carp', 'car'])).toEqual([[]])
  expect(await formsOf('invoice2024', ['invoice20', 'invoice'])).toEqual([[]])
})

it('keeps a bounded number of forms', async () => {
  const texts = Array.from({ length: 500 }, (_, number) => `item${number}`)
  const [forms] = await formsOf('item', texts)
  expect(forms).toHaveLength(40)
})
