import { expect, it } from 'vitest'
import { foldText } from './fold-text.ts'

it.each([
  ['plain text, 100 %', 'plain text, 100 %'],
  ['Café', 'Cafe'],
  ['re\u0301sume\u0301', 'resume'],
  ['Straße in Ærø, Łódź', 'Strasse in AEro, Lodz'],
  ['ﬁle and ｗｉｄｅ', 'file and wide'],
  ['한국어 문서', '한국어 문서'],
  ['がぎぐ 東京', 'がぎぐ 東京'],
  ['हिन्दी', 'हिन्दी'],
  ['Чай', 'Чай'],
  ['كِتَابٌ جـــديد', 'كتاب جديد'],
  ['الإجازة ٢٠ ۲۰', 'اجازة 20 20'],
  ['في الكتاب، والكتاب', 'في كتاب، كتاب'],
  ['בֵּית־סֵפֶר', 'בית־ספר'],
  ['infor\u00admation', 'information'],
])('folds %j to %j', (text, folded) => {
  expect(foldText(text)).toBe(folded)
})
