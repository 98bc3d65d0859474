import { expect, it } from 'vitest'
import { createTextJudge } from './garbled-text.ts'

function problemOf(...parts: string[]): string | undefined {
  const judge = createTextJudge()
  for (const part of parts) judge.add(part)
  return judge.problem()
}

/** The text that results if UTF-8 is read as Windows-1252. */
function mistaken(text: string): string {
  return new TextDecoder('windows-1252').decode(new TextEncoder().encode(text))
}

it.each([
  'Les élèves ont été très appliqués : « là-bas », c’est déjà l’été.',
  'Über Öl und Käse: schöne Grüße aus Köln.',
  'It’s “quoted” – don’t you think it’s odd?',
  'Мы читаем книги.',
])('recognizes characters that were mistaken for others: %s', (text) => {
  expect(problemOf(text)).toBeUndefined()
  expect(problemOf(mistaken(text))).toContain('mistaken for others')
  expect(problemOf(text.toUpperCase(), mistaken(text))).toContain('mistaken for others')
})

it.each([
  'NÃO, SÃO PAULO É «LÂ» – À LA FRANÇAISE, ESPAÑA.',
  'VÂNG, ÂM NHẠC CỦA CHÂU Á. câlin, pâté, «là»… ÑANDÚ',
  `In UTF-8 "é" becomes "Ã©", "’" becomes "â€™" and "ü" becomes "Ã¼". ${'That is all there is to say of it. '.repeat(30)}`,
])('leaves real text alone: %s', (text) => {
  expect(problemOf(text)).toBeUndefined()
})

it('detects characters that are lost, unless they are few', () => {
  expect(problemOf('��� text '.repeat(20))).toContain('33 % of its characters are lost')
  expect(problemOf('The sign � stands for what is lost. '.repeat(1), '�')).toBeUndefined()
  expect(problemOf('�', '�', '�', 'word '.repeat(100))).toBeUndefined()
})

it('detects separated letters, unless they are few', () => {
  expect(problemOf('T h i s i s a l e t t e r', 'o f t h e c o u r t')).toContain('l e t t e r')
  expect(problemOf('П и с ь м о и з с у д а')).toContain('l e t t e r')
  expect(
    problemOf('I N V O I C E  N U M B E R  5', 'This is what you ordered in May, and what it costs. '.repeat(5)),
  ).toBeUndefined()
  expect(problemOf('灯 火 は 青 白 く 揺 れ た 夜 の 道 に')).toBeUndefined()
  expect(problemOf('1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16')).toBeUndefined()
})

it('detects separated letters in a row of any length', () => {
  expect(problemOf('ا '.repeat(5_000_000))).toContain('l e t t e r')
})
