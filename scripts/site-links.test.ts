import { describe, expect, it } from 'vitest'
import { brokenPages } from './site-links.ts'

function check(html: string, base = '/agentkit/'): string[] {
  const pages = new Map([
    ['index.html', html],
    ['guides/tools.html', '<h1 id="tools">Tools</h1>'],
  ])
  return brokenPages({ pages, files: new Set([...pages.keys(), 'assets/app.js']), base })
}

describe('a built site', () => {
  it('has pages, anchors and files that resolve at its base path', () => {
    const links = [
      '/agentkit/',
      '/agentkit/guides/tools',
      '/agentkit/guides/tools.html#tools',
      './guides/tools',
      '#start',
    ]
    const anchors = links.map((link) => `<a class="link" href="${link}">`).join('')
    expect(check(`<p id="start">${anchors}<script src="/agentkit/assets/app.js"></script>`)).toEqual([])
  })

  it.each([
    '<a href="/agentkit/guides/none">',
    '<a href="/agentkit/guides/tools#none">',
    '<a href="/guides/tools">',
    '<script src="/agentkit/assets/none.js">',
    '<script src="https://cdn.example/app.js">',
    '<link rel="preload" href="https://fonts.example/inter.woff2" as="font">',
    '<img src="//images.example/one.png">',
  ])('is broken by %s', (html) => {
    expect(check(html)).toHaveLength(1)
  })

  it('may link to other hosts, which the reader opens', () => {
    expect(check('<a href="https://example.com">')).toEqual([])
  })
})
