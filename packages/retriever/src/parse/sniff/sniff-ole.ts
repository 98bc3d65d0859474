import { type UnreadableFileError, unreadableFile } from '../../data/unreadable-file.ts'

/** Why an OLE file, the container of Office before 2007, cannot be read. An encrypted .docx is one too. */
export function sniffOle(bytes: Uint8Array): UnreadableFileError {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const has = (stream: string): boolean => buffer.includes(Buffer.from(stream, 'utf16le'))
  if (has('EncryptedPackage') || has('EncryptionInfo'))
    return unreadableFile('encrypted', 'It is protected by a password: save it without one.')
  if (has('WordDocument')) return unreadableFile('unsupported', 'It is an old .doc: save it as .docx.')
  return unreadableFile('unsupported', 'It is a file of an old Office: save it in the format of today, as .docx.')
}
