import { posix } from 'node:path'

/** A built site: its HTML by path, the paths of all its files, and the path that it is served at. */
export type Site = { pages: ReadonlyMap<string, string>; files: ReadonlySet<string>; base: string }

/**
 * The faults of a built site, one sentence each: links to missing pages, anchors and files, and resources that a page
 * would load from another host.
 */
export function brokenPages({ pages, files, base }: Site): string[] {
  const ids = new Map([...pages].map(([page, html]) => [page, new Set(valuesOf(html, /\sid="([^"]+)"/g))]))
  return [...pages].flatMap(([page, html]) => {
    const loaded = [
      ...valuesOf(html, /<(?:script|img|iframe|source|audio|video)[^>]*?\ssrc="([^"]+)"/g),
      ...valuesOf(html, /<link[^>]*?\shref="([^"]+)"/g),
    ]
    const foreign = loaded.filter((url) => /^(?:\w+:)?\/\//.test(url)).map((url) => `${page} loads ${url}`)
    const links = [...valuesOf(html, /<a[^>]*?\shref="([^"]+)"/g), ...loaded]
    const broken = links.filter((url) => !isExternal(url) && !resolves(url, page)).map((url) => `${page}: ${url}`)
    return [...foreign, ...new Set(broken)]
  })

  function resolves(url: string, page: string): boolean {
    const [address = '', anchor] = decodeURI(url).split('#')
    const target = address === '' ? page : fileOf(address, page)
    if (target === undefined) return false
    return anchor ? (ids.get(target)?.has(anchor) ?? false) : true
  }

  function fileOf(address: string, page: string): string | undefined {
    if (address.startsWith('/') && !address.startsWith(base)) return undefined
    const path = address.startsWith('/') ? address.slice(base.length) : posix.join(posix.dirname(page), address)
    return [path, `${path}.html`, posix.join(path, 'index.html')].find((file) => files.has(file) && !file.endsWith('/'))
  }
}

function valuesOf(html: string, pattern: RegExp): string[] {
  return [...html.matchAll(pattern)].map(([, value = '']) => value.replaceAll('&amp;', '&'))
}

function isExternal(url: string): boolean {
  return /^(?:\w+:|\/\/)/.test(url)
}
