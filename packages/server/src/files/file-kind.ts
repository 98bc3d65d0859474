import type { Knowledge } from '@agentkit/core'
import { ProblemError } from '../answer/problem.ts'
import { extensionOf } from './file-name.ts'

/** @throws ProblemError `file-type-not-allowed` for a type that the agent does not read */
export function checkType(name: string, { exts }: Pick<Knowledge, 'exts'>): void {
  if (!exts || exts.includes(extensionOf(name))) return
  const detail = `"${name}" is not of a type that the agent reads: ${exts.join(', ')}.`
  throw new ProblemError('file-type-not-allowed', { detail })
}

/** The number of first bytes that identify the kind of a file. */
export const headBytes = 1024

/** The first bytes of files of other kinds, and the extensions whose files may begin with them. */
const magics: readonly (readonly [magic: string, kind: string, exts?: readonly string[]])[] = [
  ['%PDF-', 'a PDF', ['.pdf']],
  ['PK\x03\x04', 'a ZIP archive', ['.docx']],
  ['PK\x05\x06', 'a ZIP archive', ['.docx']],
  // A Word document with a password is one.
  ['\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1', 'an old Office document', ['.docx', '.doc', '.xls', '.ppt']],
  ['\x7fELF', 'a program'],
  ['\xcf\xfa\xed\xfe', 'a program'],
  ['\xce\xfa\xed\xfe', 'a program'],
  ['\xca\xfe\xba\xbe', 'a program'],
  ['\0asm', 'a program'],
  ['\x89PNG\r\n', 'a PNG image', ['.png']],
  ['\xff\xd8\xff', 'a JPEG image', ['.jpg', '.jpeg']],
  ['GIF87a', 'a GIF image', ['.gif']],
  ['GIF89a', 'a GIF image', ['.gif']],
  ['\x1f\x8b\x08', 'a gzip archive', ['.gz']],
  ['7z\xbc\xaf\x27\x1c', 'a 7-Zip archive', ['.7z']],
  ['Rar!\x1a\x07', 'a RAR archive', ['.rar']],
  ['\xfd7zXZ\0', 'an xz archive', ['.xz']],
  ['SQLite format 3\0', 'an SQLite database', ['.db', '.sqlite']],
]

/**
 * Checks that a file does not begin like one of another kind than its name says.
 * @param head the first bytes
 * @throws ProblemError `file-type-mismatch`
 */
export function checkKind(name: string, head: Uint8Array): void {
  const text = Buffer.from(head).toString('latin1')
  const ext = extensionOf(name)
  const found = magics.find(([magic]) => text.startsWith(magic))
  if (found) {
    const [, kind, exts] = found
    if (!exts?.includes(ext)) throw mismatch(name, kind)
  } else if (isWindowsProgram(text)) throw mismatch(name, 'a program')
}

/** Two letters are not enough: a text may begin with them. */
function isWindowsProgram(text: string): boolean {
  return text.startsWith('MZ') && text.slice(0, 64).includes('\0')
}

function mismatch(name: string, kind: string): ProblemError {
  return new ProblemError('file-type-mismatch', { detail: `"${name}" is ${kind}, whatever its extension says.` })
}
