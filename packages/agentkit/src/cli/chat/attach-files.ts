import { existsSync, readFileSync } from 'node:fs'
import { basename, extname } from 'node:path'
import { statOf } from '../common/stat-of.ts'
import type { SentFile } from './chat-agent.ts'

const maxFiles = 10
const maxBytes = 20_000_000
/** A text is part of the prompt. */
const maxTextBytes = 1_000_000

const mediaTypes: Readonly<Record<string, string>> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
  '.pdf': 'application/pdf',
}

/**
 * The files that a message names: `@notes.md`, or `@"my notes.md"`. A word after `@` that is not a file stays text, as does the
 * end of a sentence after a name: `What is in @notes.md?`
 * @throws Error with a sentence for one that cannot be read or sent
 */
export function attachFiles(text: string): SentFile[] {
  const names = [...text.matchAll(/(?<=^|\s)@(?:"([^"]+)"|(\S+))/g)].map(
    ([, quoted, word = '']) => quoted ?? withoutEnd(word),
  )
  const files = [...new Set(names)].flatMap((name) => fileOf(name) ?? [])
  if (files.length > maxFiles) throw new Error(`A message takes ${maxFiles} files, not ${files.length}.`)
  return files
}

function fileOf(name: string): SentFile | undefined {
  const stats = statOf(name)
  if (!stats) {
    if (!looksLikeFile(name)) return undefined
    throw new Error(`There is no file "${name}".`)
  }
  if (!stats.isFile()) throw new Error(`"${name}" is a folder: name its files.`)
  if (stats.size > maxBytes) throw new Error(`"${name}" has more than ${maxBytes / 1e6} MB.`)
  const bytes = new Uint8Array(readFileSync(name))
  const mediaType = mediaTypes[extname(name).toLowerCase()] ?? textType(bytes, name)
  return { name: basename(name), mediaType, bytes }
}

function withoutEnd(word: string): string {
  return existsSync(word) ? word : word.replace(/[.,;:!?)\]}'"]+$/, '')
}

/** The ends of names by which a word is meant as a file, also where it is not there. */
const fileEnds = new Set(
  'c cfg conf cpp cs css csv diff docx env gif go h htm html ini ipynb java jpeg jpg js json jsonl jsx log md mdx mjs patch pdf php png pptx py rb rs rst sh sql svg tex toml ts tsv tsx txt webp xlsx xml yaml yml'.split(
    ' ',
  ),
)

/** Other names are persons, packages, domains and code: `@ann`, `@agentkit/core`, `@example.com`, `@pytest.fixture`. */
function looksLikeFile(name: string): boolean {
  const [first = ''] = name.split('/')
  const hasFileEnd = fileEnds.has(extname(name).slice(1).toLowerCase()) && !/[()"'<>]/.test(name)
  return hasFileEnd || (name.includes('/') && (first === '' || existsSync(first)))
}

function textType(bytes: Uint8Array, name: string): string {
  if (bytes.length > maxTextBytes) throw new Error(`"${name}" has more than ${maxTextBytes / 1e6} MB of text.`)
  try {
    if (!new TextDecoder('utf-8', { fatal: true }).decode(bytes).includes('\0')) return 'text/plain'
  } catch {
    // No text.
  }
  throw new Error(`"${name}" is neither text nor an image nor a PDF.`)
}
