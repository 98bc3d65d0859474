/**
 * Node's decoder, with a replacement for windows-1252, which Node 22 reads as Latin-1, without quotation marks, dashes
 * and `€`.
 */
export function textDecoder(encoding: string): Pick<TextDecoder, 'decode'> {
  const decoder = new TextDecoder(encoding)
  if (decoder.encoding !== 'windows-1252') return decoder
  return {
    decode: (bytes, options) =>
      decoder.decode(bytes, options).replace(/[\x80-\x9f]/g, (sign) => signs.charAt(sign.charCodeAt(0) - 0x80)),
  }
}

/** 0x80 to 0x9f. Source: the table "windows-1252" of the WHATWG's Encoding Standard. */
const signs = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ'
