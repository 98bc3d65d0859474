import { describe, expect, it } from 'vitest'
import { decodeText } from './decode-text.ts'
import { textDecoder } from './text-decoder.ts'

const never = new AbortController().signal

async function decode(bytes: Uint8Array, signal: AbortSignal = never): Promise<string> {
  let text = ''
  for await (const part of decodeText(bytes, signal)) text += part
  return text
}

function wide(text: string, { isBig = false, mark = true } = {}): Uint8Array {
  const bytes = Buffer.from(mark ? `\ufeff${text}` : text, 'utf16le')
  return isBig ? bytes.swap16() : bytes
}

/** The bytes of a text in an encoding of one byte per character. */
function encode(text: string, encoding: string): Uint8Array {
  const signs = [...textDecoder(encoding).decode(Uint8Array.from({ length: 256 }, (_, byte) => byte))]
  return Uint8Array.from(text, (sign) => signs.indexOf(sign))
}

const umlauts = 'Größe: 12 m²\nÄrger über Öl'

describe('decodeText', () => {
  it.each<[string, Uint8Array, string]>([
    ['UTF-8', Buffer.from(umlauts), umlauts],
    ['UTF-8 with a mark', Buffer.from(`\ufeff${umlauts}`), umlauts],
    ['UTF-8 with a NUL', Buffer.from('abc\0def Flugzeugträger\n'), 'abcdef Flugzeugträger\n'],
    ['UTF-16LE', wide(umlauts), umlauts],
    ['UTF-16BE', wide(umlauts, { isBig: true }), umlauts],
    ['UTF-16LE without a mark', wide(umlauts, { mark: false }), umlauts],
    ['UTF-16BE without a mark', wide(umlauts, { mark: false, isBig: true }), umlauts],
    ['Chinese UTF-16LE without a mark', wide('这是一个文本。\n第二行 A', { mark: false }), '这是一个文本。\n第二行 A'],
    [
      'UTF-8 that was cut off within a character',
      Buffer.from('déjà vu, été, é').subarray(0, -1),
      'déjà vu, été, \ufffd',
    ],
    ['windows-1252', Buffer.from('caf\xe9;pr\xeat\nno\xebl;\xe0 la carte', 'latin1'), 'café;prêt\nnoël;à la carte'],
    [
      'windows-1252 with curly quotes',
      Buffer.from('it\x92s \x93quoted\x94 \x96 5 \x80', 'latin1'),
      'it’s “quoted” – 5 €',
    ],
    ['windows-1252 with one such letter', Buffer.from('M\xfcller', 'latin1'), 'Müller'],
    ['windows-1251', Buffer.from('cff0e8e2e5f22c20ece8f021', 'hex'), 'Привет, мир!'],
    ['KOI8-R', Buffer.from('f0d2c9d7c5d42c20cdc9d221', 'hex'), 'Привет, мир!'],
    ['windows-1253', Buffer.from('cae1ebe7ecddf1e120eafcf3ece5', 'hex'), 'Καλημέρα κόσμε'],
    ['Shift_JIS', Buffer.from('96bc914f2c8f5a8f8a0a93638b7b2c938c8b9e', 'hex'), '名前,住所\n田宮,東京'],
    ['EUC-JP', Buffer.from('a4b3a4eca4cfc6fccbdcb8eca4c7a4b9a1a3', 'hex'), 'これは日本語です。'],
    ['ISO-2022-JP', Buffer.from('1b2442467c4b5c386c1b2842', 'hex'), '日本語'],
    ['GB18030', Buffer.from('d5e2cac7d2bbb8f6d6d0cec4cec4b1be', 'hex'), '这是一个中文文本'],
    ['EUC-KR', Buffer.from('bec8b3e7c7cfbcbcbfe4', 'hex'), '안녕하세요'],
    ['Big5', Buffer.from('b36fac4fa440add3a4a4a4e5a4e5a672c0c9aed7a143', 'hex'), '這是一個中文文字檔案。'],
  ])('reads %s', async (_, bytes, text) => {
    expect(await decode(bytes)).toBe(text)
  })

  it.each<[string, string]>([
    ['El año próximo. ¿Cuántos días? ¡Muchos señores!', 'windows-1252'],
    ['¿Qué?', 'windows-1252'],
    ['Majú nárok na dvadsať dní. Ďakujem, čo môžem, ľudia', 'iso-8859-2'],
    ...[
      '5 × 3 cm',
      'Size 5×3',
      '½ cup',
      '© 2024',
      '± 5 mm',
      '5 µm thick',
      '§ 5',
      'a · b',
      '£5',
      'don´t',
      'nº 5',
      '1ª edición',
    ].map((text): [string, string] => [text, 'windows-1252']),
    ['I dipendenti hanno più ferie perché è così. La qualità, però.', 'windows-1252'],
    ['Það er gott að búa á Íslandi, þrjátíu', 'windows-1252'],
    ['Çfarë është e drejtë për pushime', 'windows-1252'],
    ['Árvíztűrő tükörfúrógép', 'windows-1250'],
    ['Jiří a Tomáš, Plzeň', 'iso-8859-2'],
    ['Godišnji odmor: Šezdeset, ćevapi', 'iso-8859-2'],
    ['Працівники мають її', 'koi8-u'],
    ['Größe, Übung, Ärger: 5 €', 'macintosh'],
    ['L’employé a droit à des congés payés, où ça ?', 'macintosh'],
    ['The company’s policy – 20 days', 'windows-1252'],
    ['The company’s “café” – 20 days', 'macintosh'],
    ['Сотрудник уходит в отпуск', 'ibm866'],
    ['Сотрудник уходит в отпуск', 'iso-8859-5'],
  ])('reads %j of %s', async (text, encoding) => {
    expect(await decode(encode(text, encoding))).toBe(text)
  })

  it('makes every line end a \\n, also across a boundary of parts', async () => {
    const long = `${'x'.repeat(256 * 1024 - 1)}\r\nb\rc\n\r\nd\r`
    expect((await decode(Buffer.from(long))).slice(-9)).toBe('x\nb\nc\n\nd\n')
    expect(await decode(Buffer.from('a\r\nb\rc\r'))).toBe('a\nb\nc\n')
  })

  it('keeps a character whole that crosses a boundary of parts', async () => {
    const text = `${'x'.repeat(256 * 1024 - 1)}é${'y'.repeat(256 * 1024)}😀`
    expect(await decode(Buffer.from(text))).toBe(text)
  })

  it('removes invisible characters: NULs, lone surrogates, escape sequences of terminals and printers', async () => {
    expect(await decode(Buffer.from(`${'text '.repeat(50)}\0end`))).toBe(`${'text '.repeat(50)}end`)
    expect(await decode(wide('a\ud800b'))).toBe('a\ufffdb')
    expect(await decode(Buffer.from('bold \u{1f600}\b\u{1f600}'))).toBe('bold \u{1f600}')
    const manual = 'N\bNA\bAM\bME\bE of a \x1b[1;31mmanual\x1b[0m page\fwith a second page'
    expect(await decode(Buffer.from(manual))).toBe('NAME of a manual page\nwith a second page')
  })

  it.each<[string, Uint8Array]>([
    ['an image', Buffer.from('89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489', 'hex')],
    ['NULs', new Uint8Array(1000)],
    ['noise', Uint8Array.from({ length: 5000 }, (_, index) => (index * index * 31 + index * 7) % 256)],
    ['UTF-32', Buffer.from('fffe00006100000062000000', 'hex')],
    ['UTF-32 of the other order', Buffer.from('0000feff0000006100000062', 'hex')],
    [
      'a binary middle',
      Buffer.concat([Buffer.from('a'.repeat(9000)), new Uint8Array(90_000), Buffer.from('b'.repeat(9000))]),
    ],
  ])('refuses %s', async (_, bytes) => {
    await expect(decode(bytes)).rejects.toMatchObject({ code: 'unreadable-file', status: 'unsupported' })
  })

  it('stops when it is aborted', async () => {
    const reason = new Error('enough')
    await expect(decode(Buffer.from('text'), AbortSignal.abort(reason))).rejects.toBe(reason)
  })
})
