import { expect, it, onTestFinished, vi } from 'vitest'
import { textDecoder } from './text-decoder.ts'

const bytes = Uint8Array.from([0x61, 0x92, 0x73, 0x20, 0x96, 0x20, 0x80, 0xe9, 0x81])

it('reads windows-1252 on a Node that takes it for Latin-1, as on others', () => {
  expect(textDecoder('windows-1252').decode(bytes)).toBe('a’s – €é\x81')
  class LatinDecoder {
    encoding = 'windows-1252'
    decode = (given: Uint8Array): string => Buffer.from(given).toString('latin1')
  }
  vi.stubGlobal('TextDecoder', LatinDecoder)
  onTestFinished(() => void vi.unstubAllGlobals())
  expect(textDecoder('windows-1252').decode(bytes)).toBe('a’s – €é\x81')
})

it('leaves other encodings to Node', () => {
  expect(textDecoder('utf-8').decode(Uint8Array.from([0xc2, 0x92]))).toBe('\x92')
})
