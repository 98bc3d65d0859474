import { expect, it } from 'vitest'
import { foldText, withParts } from './fold-text.ts'

it.each([
  ['plain text, 100 %', 'plain text, 100 %'],
  ['Café', 'Cafe'],
  ['re\u0301sume\u0301', 'resume'],
  ['Straße in Ærø, Łódź', 'Strasse in AEro, Lodz'],
  ['ﬁle and ｗｉｄｅ', 'file and wide'],
  ['한국어 문서', '한국어 문서'],
  ['がぎぐ 東京', 'がぎぐ 東京'],
  ['サーバー、コピー、ｺﾝﾋﾟｭｰﾀｰとデータベース', 'サーバ、コピー、コンピュータとデータベース'],
  ['हिन्दी', 'हिन्दी'],
  ['Чай', 'Чай'],
  ['كِتَابٌ جـــديد', 'كتاب جديد'],
  ['الإجازة ٢٠ ۲۰', 'اجازة 20 20'],
  ['१२५० ৬৭৮৯ ๒๓๔๕', '1250 6789 2345'],
  ['연차는 Docker로만, 서버에서는 회의 3만', '연차 Docker로만, 서버 회의 3만'],
  ['연차를'.normalize('NFD'), '연차'],
  ['في الكتاب، والكتاب', 'في كتاب، كتاب'],
  ['בֵּית־סֵפֶר', 'בית־ספר'],
  ['infor\u00admation', 'information'],
])('folds %j to %j', (text, folded) => {
  expect(foldText(text)).toBe(folded)
})

it.each([
  ['Call getUserName for XMLHttp', 'Call getUserName for XMLHttp\nget User Name XML Http'],
  ['PDFs and APIs of the WHO', 'PDFs and APIs of the WHO'],
  ['Plain. Text (A1) 3D', 'Plain. Text (A1) 3D'],
  ['19.99 of 1,234,567.5, 7. In v2.4.1, 42', '19.99 of 1,234,567.5, 7. In v2.4.1, 42\n19dot99 1234567dot5 2dot4dot1'],
  ['1,2,3,4,5,6,7,8,9,10', '1,2,3,4,5,6,7,8,9,10'],
  ['1.234,56 and 7.654.321', '1.234,56 and 7.654.321\n1234dot56 7654321'],
  ['연차가 회의에서도, Docker로만 유급휴가', '연차가 회의에서도, Docker로만 유급휴가\n연차 회의 Docker 유급휴'],
])('puts the parts of the names in %j behind it, and whole numbers', (text, found) => {
  expect(withParts(text)).toBe(found)
})

it('folds 1 MB of Korean particles in linear time', () => {
  const before = process.cpuUsage()
  for (const text of ['은', '에서', '가나은', '에서는x', 'a은', '이', '가 ', '이은'])
    withParts(foldText(text.repeat(1_000_000 / text.length)))
  const { user, system } = process.cpuUsage(before)
  expect((user + system) / 1e6).toBeLessThan(5)
})

it('looks through 1 MB of one name or number in linear time', () => {
  const before = process.cpuUsage()
  for (const name of ['aB', 'ABcd', 'a1B', 'AB', '1', '1.', '12345678901234567890,'])
    withParts(name.repeat(1_000_000 / name.length))
  const { user, system } = process.cpuUsage(before)
  expect((user + system) / 1e6).toBeLessThan(5)
})
