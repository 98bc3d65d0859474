import { expect, it } from 'vitest'
import { isGarbled } from './is-garbled.ts'

const positions = Array.from(
  { length: 20 },
  (_, place) => `${place + 1} HX-47${place}B-KGR Stk. GmbH 12,50 EUR 19% Nr.`,
)

it.each([
  [
    'an invoice of codes and short words',
    `SUS GmbH IBAN DE89370400440532013000 Pos. Bez. MwSt. ${positions.join(' ')}`,
  ],
  ['a table of abbreviations', 'SUS GmbH Str. Hbf. Stk. MwSt. Nr. kg Bz. Rg. Tlg. Gbr. St. Mng. Pkg. '.repeat(10)],
  [
    'a table of account numbers',
    'DE89370400440532013000 COBADEFFXXX SSKMDEMMXXX BYLADEM1KMS DE02120300000000202051 '.repeat(8),
  ],
  ['German words with umlauts', 'Größe Gerät Öffnung für Gehäuse Prüfgerät STK Bögen KG Stückzahl '.repeat(10)],
  ['names in code', 'getValue fooBar strlen printf setTimeout readFileSync '.repeat(10)],
])('reads %s', (_, text) => {
  expect(isGarbled(text)).toBe(false)
})

const shifted = 'The notes of the meeting are sent to all who attended it, on the same day. '
  .repeat(6)
  .replace(/[a-z]/gi, (letter) => String.fromCharCode(letter.charCodeAt(0) + 3))
const wrongAlphabet =
  'V1HH 0301 Cl>opMa KHA ynnal.IVIBaeMoMy HaJIoroBblX opraHoB HanoronJIaTeJIbIlIHK cTpaxoBblx B3HOCOB '

it.each([
  ['codes that are shifted', shifted],
  ['codes that are shifted among numbers', `${shifted} ${positions.slice(0, 5).join(' ')}`],
  ['a scan that was read in the wrong alphabet', wrongAlphabet.repeat(6)],
  ['UTF-8 that was read as Latin-1', 'Ã¼ber die GrÃ¶Ã\u009fe der GerÃ¤te fÃ¼r BÃ¼ros. '.repeat(5)],
  ['letters of many scripts in a word', 'aбγا dжλش eфπق gцσب hщωن '.repeat(5)],
])('finds %s', (_, text) => {
  expect(isGarbled(text)).toBe(true)
})
