import { describe, expect, it } from 'vitest'
import { apiReference } from './api-reference.ts'
import { brokenReferences } from './markdown-links.ts'
import { exists, readText } from './workspace-files.ts'

const pages = apiReference()
const entries = pages.flatMap((page) => page.entries)

describe('the API reference', () => {
  it('has an entry for every public name, except those of our own packages', () => {
    const sections = readText('public-names.txt').split(/^(?=\S)/m)
    const names = sections.flatMap((section) => {
      const [entryPoint = '', ...lines] = section.trim().split('\n')
      return entryPoint.endsWith('/internal') ? [] : lines.map((line) => `${entryPoint} ${line.trim()}`)
    })
    expect(names.length).toBeGreaterThan(400)
    expect(entries.map(({ entryPoint, name }) => `${entryPoint} ${name}`).sort()).toEqual(names.sort())
  })

  it('describes each: a new name needs a docstring', () => {
    expect(entries.filter(({ description }) => description === '').map(({ name }) => name)).toEqual([])
  })

  it('links to existing pages and entries', () => {
    const texts = new Map(pages.map(({ path, text }) => [path, text]))
    expect(brokenReferences({ texts, exists: (path) => texts.has(path) || exists(path) })).toEqual([])
  })

  it('shows signatures without bodies and private members, with inherited ones, and docstrings with their tags', () => {
    const { body = '' } =
      entries.find(({ entryPoint, name }) => entryPoint === '@agentkit/core' && name === 'Agent') ?? {}
    expect(body).toContain('chat(input: string | InputPart[], options: RunOptions = {}): Promise<string>\n')
    expect(body).toContain("const agent = new Agent({ name: 'Weather'")
    expect(body).not.toMatch(/#\w|return |\bprivate\b|@internal/)
  })

  it("shows the exports of another package on that package's page", () => {
    const { body = '' } = entries.find(({ entryPoint, name }) => entryPoint === 'agentkit' && name === 'tool') ?? {}
    expect(body).toContain('From [`@agentkit/core`](core.md#tool).')
  })
})
