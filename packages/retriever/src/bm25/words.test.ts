import { expect, it } from 'vitest'
import { eachWord } from './words.ts'

/** The terms of each word; a `*` marks a stop word. */
function wordsOf(text: string): string[] {
  const words: string[] = []
  eachWord(text, ({ terms, length }) => words.push(terms.join('/') + (length === 0 ? '*' : '')))
  return words
}

it.each<[string, string, string[]]>([
  ['stems', 'Employees are running companies', ['employe', 'ar*', 'run', 'compani']],
  [
    'numbers',
    'In 2026: 3.14, 1,000,000 and 12,5 of v2.1.',
    ['in*', '2026', '3.14', '1000000', 'and*', '12/5', 'of*', 'v2.1/2.1'],
  ],
  ['versions', 'node 24.21.0 x86', ['node', '24.21.0', 'x86']],
  ['dates', '2026-11-22', ['2026', '11', '22']],
  ['snake_case', 'user_name __init__', ['user/name/usernam', 'init']],
  ['kebab-case', 'pre-order - e-mail covid-19', ['pre/order/preorder', 'e/mail/email', 'covid/19/covid19']],
  [
    'camelCase',
    'getUserName HTTPServer PDFs iPhone',
    ['get/user/name/getusernam', 'http/server/httpserver', 'pdf', 'i/phone/iphon'],
  ],
  ['possessives and contractions', "the company's don't O’Neill", ['the*', 'compani', 'dont*', 'o/neill/oneil']],
  ['elisions', "l'homme", ['l/homm/lhomm']],
  [
    'lines that break a word',
    'infor-\nmation infor-\r\nmation well-\nKnown',
    ['infor/mation/inform', 'infor/mation/inform', 'well*', 'known'],
  ],
  ['soft hyphens', 'infor\u00admation', ['inform']],
  ['diacritics', 'Größe café Ødegård Æon İstanbul naïve', ['gross', 'cafe', 'odegard', 'aeon', 'istanbul', 'naiv']],
  ['decomposed letters', 'cafe\u0301', ['cafe']],
  ['compatibility forms', 'ﬁne ＡＢＣ', ['fine', 'abc']],
  ['Cyrillic and Greek', 'ПРИКАЗ Приказ λόγος ΛΌΓΟΣ', ['приказ', 'приказ', 'λογοσ', 'λογοσ']],
  ['Chinese', '北京大学 iPhone版', ['北京', '大学', 'i/phone/iphon', '版']],
  ['Japanese', '報告書を読む', ['報告書', 'を', '読む']],
  ['Thai', 'ภาษาไทย', ['ภาษา', 'ไทย']],
  ['Hindi, whose marks are vowels', 'हिन्दी', ['हिन्दी']],
  ['Arabic with and without its article', 'الكِتَابُ كتاب والكتاب بالكتاب للكتاب', Array(5).fill('كتاب')],
  ['short Arabic words, whose letters are their own', 'الله ألم الى', ['الله', 'الم', 'الى']],
  [
    'Korean with and without particles',
    '연차 연차는 연차를 연차가 회의 회의에서도 고양이를 유급휴가 Docker는 3만',
    [
      '연차',
      '연차',
      '연차',
      '연차/연차가',
      '회의',
      '회의/회의에서도',
      '고양/고양이',
      '유급휴/유급휴가',
      'docker',
      '3만',
    ],
  ],
  ['Arabic and Persian digits', '٢٠ ۲۰٢٦', ['20', '2026']],
  ['digits of Hindi, Bengali and Thai', '१२५० ৬৭৮৯ ๒๓๔๕', ['1250', '6789', '2345']],
  ['Icelandic', 'Þórður', ['thordur']],
  ['numbers with dots between thousands', '1.234,56 7.654.321 1.234', ['1234.56/1234/56', '7654321', '1.234']],
  ['letters beyond the first plane', '𝐀𝐁 𠮷野', ['ab', '𠮷', '野']],
  ['nothing', ' .,-\' — 🐝 \0 \ud83d "', []],
])('reads %s', (_what, text, words) => {
  expect(wordsOf(text)).toEqual(words)
})

it('returns the same terms for a word each time', () => {
  const text = "Größe getUserName 3.14 don't 北京大学 infor-\nmation"
  expect(wordsOf(`${text} ${text}`)).toEqual([...wordsOf(text), ...wordsOf(text)])
})

it('cuts overlong words the same way in a text and in a query', () => {
  const [word = ''] = wordsOf('a1'.repeat(5_000))
  expect(word).toBe('a1'.repeat(32))
  expect(wordsOf('a1'.repeat(5_001))).toEqual([word])
  expect(wordsOf('𠮷'.repeat(40).normalize('NFC')).every((term) => term.isWellFormed())).toBe(true)
})

it('empties its cache when there are too many words, and returns the same terms', () => {
  const many = Array.from({ length: 80_000 }, (_, number) => `w${number}`)
  expect(wordsOf(many.join(' '))).toEqual(many)
  expect(wordsOf('running w79999 w1')).toEqual(['run', 'w79999', 'w1'])
})
