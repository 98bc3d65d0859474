import { posix } from 'node:path'
import { slugOf } from '../docs/.vitepress/pages.ts'

export type Documents = {
  /** Markdown by its path. */
  texts: ReadonlyMap<string, string>
  /** Whether a file or folder exists, by its path. */
  exists: (path: string) => boolean
}

const languages = new Set(
  'ts tsx js json jsonc toml sh text nginx ini dockerfile yaml html http sql md mdx python diff'.split(' '),
)

/**
 * The broken references in Markdown files, one sentence each: links to missing files and headings, code blocks without
 * a language that the site highlights, and code blocks that name a missing file.
 */
export function brokenReferences({ texts, exists }: Documents): string[] {
  const anchors = new Map<string, ReadonlySet<string>>()
  return [...texts].flatMap(([path, text]) => {
    const links = linksOf(text)
      .filter((link) => !/^(?:[a-z]+:|\/\/)/i.test(link) && !resolves(link, path))
      .map((link) => `${path} links to ${link}`)
    return [...links, ...brokenBlocks(text, exists).map((problem) => `${path} ${problem}`)]
  })

  function resolves(link: string, path: string): boolean {
    const [address = '', anchor] = link.split('#')
    const target = address === '' ? path : posix.join(posix.dirname(path), decodeURI(address))
    if (!exists(target)) return false
    if (!anchor) return true
    if (!anchors.has(target)) anchors.set(target, anchorsOf(texts.get(target) ?? ''))
    return anchors.get(target)?.has(decodeURI(anchor)) ?? false
  }
}

/** The targets of all links and images, inline and by reference, outside of code. */
export function linksOf(text: string): string[] {
  const prose = withoutCode(text)
  const inline = [...prose.matchAll(/\]\(\s*<?([^)\s>]+)>?(?:\s+"[^"]*")?\s*\)/g)]
  const references = [...prose.matchAll(/^ {0,3}\[[^\]]+\]:\s+<?(\S+?)>?(?:\s+"[^"]*")?$/gm)]
  return [...inline, ...references].map(([, target = '']) => target)
}

/** The ids of the headings. The second of two equal ones ends with `-1`. */
export function anchorsOf(text: string): Set<string> {
  const anchors = new Set<string>()
  for (const [, heading = ''] of withoutBlocks(text).matchAll(/^#{1,6} +(.+?)(?: +#+)?$/gm)) {
    const slug = slugOf(heading.replace(/\[([^\]]+)\]\([^)]*\)/g, '$1').replace(/[`*]/g, ''))
    let free = slug
    for (let count = 1; anchors.has(free); count++) free = `${slug}-${count}`
    anchors.add(free)
  }
  return anchors
}

function brokenBlocks(text: string, exists: Documents['exists']): string[] {
  const fences = [...text.matchAll(/^(`{3,}|~{3,})(.*)$/gm)]
  if (fences.length % 2 === 1) return ['has a code block that does not end']
  return fences
    .filter((_, index) => index % 2 === 0)
    .flatMap(([, , info = '']) => {
      const [language = '', file] = info.trim().split(/\s+/)
      if (!languages.has(language)) return [`has a code block in "${language}", which is none of the languages`]
      return file && !exists(file) ? [`has a code block of ${file}`] : []
    })
}

function withoutBlocks(text: string): string {
  return text.replace(/^(`{3,}|~{3,})[\s\S]*?^\1$/gm, '')
}

function withoutCode(text: string): string {
  return withoutBlocks(text).replace(/(`+)[^`][\s\S]*?\1/g, '')
}
