import { describe, expect, it } from 'vitest'
import { anchorsOf, brokenReferences, linksOf } from './markdown-links.ts'

function check(text: string, files: Record<string, string> = {}): string[] {
  const texts = new Map(Object.entries({ 'docs/page.md': text, ...files }))
  return brokenReferences({ texts, exists: (path) => texts.has(path) || path === 'docs/examples/start.ts' })
}

describe('references of Markdown', () => {
  it('resolve to files and headings', () => {
    const other = { 'docs/guides/tools.md': '# Tools\n\n## What a `tool()` is\n' }
    expect(check('# Page\n[a](guides/tools.md#what-a-tool-is), [b](#page), [c](https://example.com)', other)).toEqual(
      [],
    )
  })

  it.each<[string, string]>([
    ['a missing file', '[a](guides/none.md)'],
    ['a missing heading', '# Page\n[a](#pages)'],
    ['a missing heading of another file', '[a](other.md#none)'],
    ['a missing file, by reference', 'See [a].\n\n[a]: guides/none.md'],
    ['a missing image', '![a](none.png)'],
    ['a code block without a language', '```\ncode\n```'],
    ['a code block of a missing file', '```ts docs/examples/none.ts\ncode\n```'],
    ['a code block that does not end', '```ts\ncode\n'],
  ])('are broken by %s', (_, text) => {
    expect(check(text, { 'docs/other.md': '# Other\n' })).toHaveLength(1)
  })

  it('are none in code', () => {
    expect(check('`[a](none.md)`\n\n```ts docs/examples/start.ts\n[a](none.md)\n```')).toEqual([])
    expect(linksOf('`a` [b](c.md) `d`')).toEqual(['c.md'])
  })

  it('to equal headings are numbered, as on GitHub', () => {
    expect([
      ...anchorsOf('# One\n\n## Usage\n\n```md\n## Usage\n```\n\n## Usage\n\n## `agentkit_config.toml`: what & why'),
    ]).toEqual(['one', 'usage', 'usage-1', 'agentkit_configtoml-what--why'])
  })
})
