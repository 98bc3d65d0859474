import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { nearestWord } from '@agentkit/core/internal'
import { nearestFile } from '../common/nearest-file.ts'
import { UsageError } from '../common/usage-error.ts'

/** A page of the documentation. */
export type Page = { name: string; title: string; about: string; group: string; file: string }

/** A page in which words were found, with lines that have one of them. */
export type Found = { page: Page; lines: string[] }

const errors = 'Error codes'

/** The pages of the installed version: those that `llms.txt` lists, and a page for each error code. */
export function readPages(folder: string = docsFolder()): Page[] {
  const pages: Page[] = []
  let group = ''
  for (const line of readFileSync(join(folder, 'llms.txt'), 'utf8').split('\n')) {
    group = /^## (.+)$/.exec(line)?.[1] ?? group
    const [, title, path, about = ''] = /^- \[(.+?)\]\(([\w./-]+\.md)\)(?:: (.*))?$/.exec(line) ?? []
    if (title === undefined || path === undefined) continue
    pages.push({ name: path.replace(/^guides\/|\.md$/g, ''), title, about, group, file: join(folder, path) })
  }
  const codes = readdirSync(join(folder, 'errors')).filter((name) => name.endsWith('.md'))
  for (const code of codes.sort()) {
    const name = `errors/${basename(code, '.md')}`
    pages.push({ name, title: basename(code, '.md'), about: '', group: errors, file: join(folder, 'errors', code) })
  }
  return pages
}

/**
 * The page of a name, such as `approvals`, `guides/approvals.md`, the code of an error, or another library.
 * @throws UsageError with the most similar name
 */
export function pageNamed(word: string, pages: readonly Page[]): Page {
  const wanted = word
    .toLowerCase()
    .replace(/^docs\/|\.md$/g, '')
    .replace(/^guides\//, '')
  const page =
    pages.find(({ name }) => name === wanted) ??
    pages.find(({ name }) => name === `errors/${wanted}`) ??
    pages.find(({ title }) => title.toLowerCase() === wanted) ??
    pages.find(({ name }) => name === `migrate/${wanted}`)
  if (page) return page
  const nearest = nearestWord(wanted, [...pages.map(({ name }) => name), ...codesOf(pages)])
  const hint = nearest === undefined ? 'Search for words: agentkit docs search <words>.' : `Did you mean "${nearest}"?`
  throw new UsageError(`There is no page "${word}". ${hint}`)
}

/** The text of a page. */
export function readPage({ file }: Page): string {
  return readFileSync(file, 'utf8')
}

/** The pages that have all of these words, those first that have them most often, or in their titles. */
export function searchPages(words: readonly string[], pages: readonly Page[], most: number): Found[] {
  const wanted = words.flatMap((word) => word.toLowerCase().split(/\s+/)).filter(Boolean)
  const found = pages.flatMap((page) => {
    const text = readPage(page)
    const counts = wanted.map((word) => countOf(word, text))
    if (wanted.length === 0 || counts.includes(0)) return []
    const inTitle = wanted.filter((word) => countOf(word, `${page.name} ${page.title}`) > 0).length
    return [{ page, score: inTitle * 1000 + Math.min(...counts), lines: linesWith(wanted, text) }]
  })
  return found.sort((a, b) => b.score - a.score).slice(0, most)
}

/** How many words, and parts of `camelCase`, begin with this one: "rag" is not in "storage". */
function countOf(word: string, text: string): number {
  const lower = text.toLowerCase()
  let count = 0
  for (let at = lower.indexOf(word); at !== -1; at = lower.indexOf(word, at + word.length)) {
    const isPart = /[\p{Ll}\p{N}]/u.test(text[at - 1] ?? '') && /\p{Lu}/u.test(text[at] ?? '')
    if (isPart || !/[\p{L}\p{N}]/u.test(text[at - 1] ?? '')) count++
  }
  return count
}

/** The lines that have the most of the words, in their order. */
function linesWith(words: readonly string[], text: string): string[] {
  const scored = text.split('\n').map((line, index) => {
    return { line: line.trim(), index, score: words.filter((word) => countOf(word, line) > 0).length }
  })
  const best = scored.filter(({ score }) => score > 0).sort((a, b) => b.score - a.score || a.index - b.index)
  return best
    .slice(0, 3)
    .sort((a, b) => a.index - b.index)
    .map(({ line }) => line)
}

function codesOf(pages: readonly Page[]): string[] {
  return pages.filter(({ group }) => group === errors).map(({ title }) => title)
}

/** The folder of the documentation in the package, or in the repository if the package is not built. */
function docsFolder(): string {
  const list = nearestFile(dirname(fileURLToPath(import.meta.url)), join('docs', 'llms.txt'))
  if (list === undefined) throw new UsageError('The documentation is not in the package. Install agentkit again.')
  return dirname(list)
}
