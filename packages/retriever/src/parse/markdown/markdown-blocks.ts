import { createSignFinder } from '../../text/sign-finder.ts'
import type { NewBlock } from '../pieces/piece-writer.ts'
import { plainInline } from './markdown-inline.ts'
import {
  closesFence,
  dedent,
  fenceOf,
  indentOf,
  isBlank,
  isCodeLine,
  isListItem,
  isRule,
  trimLines,
  underlineLevel,
} from './markdown-lines.ts'
import { createTagReader } from './markup-tag.ts'
import { endOfEsm, opensEsm } from './mdx-esm.ts'

/** A block of Markdown, its end in the source, and whether there is text between it and the previous block. */
export type MarkdownBlock = NewBlock & { end: number; isApart: boolean }

type Found = NewBlock & { end: number }

/** A longer line is a paragraph that happens to be above a line of dashes. */
const longestHeading = 400

/**
 * The blocks of Markdown or MDX from `start` on: headings, code, tables, and paragraphs, which include lists and quotes.
 * Not a complete Markdown parser; it separates text from markup in linear time.
 */
export function* markdownBlocks(source: string, start: number, isMdx: boolean): Generator<MarkdownBlock, void> {
  const tags = createTagReader(source)
  const signs = createSignFinder(source)
  const { endBehind } = signs
  const budget = { left: source.length * 4 }
  let isApart = true
  let isBelowBlank = true
  let isInList = false

  for (let at = start; at < source.length; ) {
    const line = lineAt(at)
    const hidden = isBlank(line) ? at + line.length + 1 : endOfHidden(at, line)
    if (hidden !== undefined) {
      isApart = true
      isBelowBlank = isBlank(line)
      at = hidden
      continue
    }
    const found =
      readFence(at, line) ??
      readHtml(at, line) ??
      readHeading(at, line) ??
      readIndented(at, line) ??
      readTable(at, line) ??
      readParagraph(at)
    isInList = isListItem(line) || (isInList && /^\s/.test(line))
    isBelowBlank = false
    at = found.end
    if (found.text === '') continue
    yield { ...found, isApart }
    isApart = false
  }

  function lineAt(at: number): string {
    const end = source.indexOf('\n', at)
    return source.slice(at, end < 0 ? source.length : end)
  }

  /** The position after something that is not text: a comment, a script, an import, a rule. */
  function endOfHidden(at: number, line: string): number | undefined {
    const first = at + indentOf(line)
    if (source.startsWith('<!--', first)) return endBehind('-->', first + 4)
    if (isMdx && /^\{\s*\/\*/.test(source.slice(first, first + 20))) {
      const end = endBehind('*/', first)
      const close = end === undefined ? null : /^\s*\}/.exec(source.slice(end, end + 20))
      if (end !== undefined && close !== null) return end + close[0].length
    }
    const hidden = /^<(script|style)\b/i.exec(source.slice(first, first + 8))?.[1]
    if (hidden !== undefined) return endBehind(`</${hidden}>`, first)
    if (opensCode(at, line)) return endOfEsm(source, at, budget, signs)
    return isRule(line) ? at + line.length + 1 : undefined
  }

  function opensCode(at: number, line: string): boolean {
    return isMdx && opensEsm(line, () => lineAt(at + line.length + 1))
  }

  /** Fenced code, including the fences: they name the language, and readers know them. */
  function readFence(at: number, line: string): Found | undefined {
    const fence = fenceOf(line)
    if (fence === undefined) return undefined
    let end = at + line.length + 1
    while (end < source.length) {
      const next = lineAt(end)
      // The end of a quote ends its code.
      if (fence.isQuoted && !/^\s*>/.test(next)) break
      end += next.length + 1
      if (closesFence(next, fence.sign)) break
    }
    return { kind: 'code', text: dedent(source.slice(at, end)), end: Math.min(end, source.length) }
  }

  function readHtml(at: number, line: string): Found | undefined {
    const match = /^[ \t]{0,40}<(h[1-6]|pre)\b/i.exec(line)
    if (match?.[1] === undefined) return undefined
    const name = match[1]
    const first = at + indentOf(line)
    const tag = tags.read(first)
    const end = tag === undefined ? undefined : endBehind(`</${name}>`, tag.end)
    if (end === undefined) return undefined
    const raw = source.slice(first, end)
    if (name.length === 3) return { kind: 'code', text: dedent(plainInline(raw, { isMdx })), end }
    if (raw.length > longestHeading * 5) return undefined
    return { ...headingOf(raw, Number(name[1])), end }
  }

  function readHeading(at: number, line: string): Found | undefined {
    const indent = indentOf(line)
    if (line[indent] !== '#' || (indent > 3 && !isMdx) || line.length > longestHeading * 5) return undefined
    const level = /^#+/.exec(line.slice(indent, indent + 8))?.[0].length ?? 0
    const said = line.slice(indent + level)
    if (level > 6 || !/^(?:[ \t]|$)/.test(said)) return undefined
    return { ...headingOf(said.trim().replace(/(?:^|[ \t])#+$/, ''), level), end: at + line.length + 1 }
  }

  function headingOf(raw: string, level: number): NewBlock {
    const text = plainInline(raw, { isMdx })
      .replace(/\s+/g, ' ')
      .replace(/ ?\{#[\w-]*\}$/, '')
      .trim()
    return { kind: 'heading', text: text === '' ? '' : `${'#'.repeat(level)} ${text}`, level }
  }

  /** Code by indentation, which MDX does not have. */
  function readIndented(at: number, line: string): Found | undefined {
    if (isMdx || !isBelowBlank || isInList || !isCodeLine(line)) return undefined
    let end = at
    for (let next = line; end < source.length && (isCodeLine(next) || isBlank(next)); next = lineAt(end)) {
      end += next.length + 1
    }
    return { kind: 'code', text: dedent(source.slice(at, end)), end: Math.min(end, source.length) }
  }

  function readTable(at: number, line: string): Found | undefined {
    if (!opensTable(at, line)) return undefined
    const lines: string[] = []
    let end = at
    for (let next = line; end < source.length && next.includes('|') && !isBlank(next); next = lineAt(end)) {
      lines.push(plainInline(next, { isMdx, isTable: true }).trim().replace(/ {3,}/g, '  ').replace(/-{4,}/g, '---'))
      end += next.length + 1
    }
    return { kind: 'table', text: lines.join('\n'), end: Math.min(end, source.length) }
  }

  function opensTable(at: number, line: string): boolean {
    if (!line.includes('|') || line.length > 100_000) return false
    const below = lineAt(Math.min(at + line.length + 1, source.length))
    return below.includes('-') && /^[\s>]*[|:-][|:\s-]*$/.test(below) && below.includes('|')
  }

  /** Lines up to a blank one, or up to a block of another kind. The line below may make it a heading. */
  function readParagraph(at: number): Found {
    let end = at
    let line = lineAt(at)
    do {
      const tagsEnd = endOfTags(end, line)
      const isTagLine = tagsEnd !== undefined && isBlank(lineAt(tagsEnd))
      end = Math.min(tagsEnd ?? end, source.length)
      end += lineAt(end).length + 1
      if (isTagLine || end >= source.length) break
      line = lineAt(end)
      const level = underlineLevel(line)
      const raw = source.slice(at, end)
      // The length comes first: a long paragraph would be examined again for each of its lines.
      if (level > 0 && raw.length <= longestHeading && !isListItem(raw) && !/^\s*>/.test(raw)) {
        return { ...headingOf(raw, level), end: Math.min(end + line.length + 1, source.length) }
      }
    } while (!endsParagraph(end, line))
    const raw = source.slice(at, end)
    return { kind: 'text', text: trimLines(plainInline(raw, { isMdx })), end: Math.min(end, source.length) }
  }

  function endsParagraph(at: number, line: string): boolean {
    if (isBlank(line) || fenceOf(line) !== undefined) return true
    // Below a line of text, `import` and `export` are words of its paragraph.
    if (!opensCode(at, line) && endOfHidden(at, line) !== undefined) return true
    return readHeading(at, line) !== undefined || opensTable(at, line) || /^\s{0,40}<(?:h[1-6]|pre)\b/i.test(line)
  }

  /** The position after the tags at the start of a line; they may span several lines, including blank ones. */
  function endOfTags(at: number, line: string): number | undefined {
    let first = at + indentOf(line)
    let end: number | undefined
    while (source[first] === '<') {
      const tag = tags.read(first)
      if (tag === undefined) break
      end = tag.end
      first = end
      while (source[first] === ' ') first++
    }
    return end
  }
}
