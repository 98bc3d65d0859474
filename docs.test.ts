import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { llmsText, sidebar } from './docs/.vitepress/pages.ts'
import {
  type ConfigKey,
  defaultsKeys,
  embeddingKeys,
  mcpKeys,
  providerKeys,
  providerModelKeys,
  retentionKeys,
  retrieverKeys,
  samplePromptKeys,
  serverKeys,
  webhookKeys,
} from './packages/agentkit/src/config/config-keys.ts'
import { errorCodes } from './packages/core/src/data/error-codes.ts'
import { limits } from './packages/core/src/limits.ts'
import { problemTable } from './packages/server/src/answer/problem-table.ts'
import { defaultLimits } from './packages/server/src/limits.ts'
import { brokenReferences } from './scripts/markdown-links.ts'
import { codeFiles, isTest, textFiles } from './scripts/workspace-files.ts'

const root = import.meta.dirname
const documents = ['README.md', 'AGENTS.md', 'CONTRIBUTING.md', 'bench/README.md', ...markdownIn('docs')]

const guides = documents.filter((document) =>
  /^(?:README|docs\/(?:tutorial|guides\/.*|migrate\/.*))(?:\.md)?$/.test(document),
)

const codeBlocks = documents.flatMap((document) =>
  [...read(document).matchAll(/```\w+ ([\w./-]+)\n([\s\S]*?)```/g)].map(([, file = '', code = '']) => ({
    document,
    file,
    code,
  })),
)

describe('the documentation', () => {
  it.each(codeBlocks)('shows in $document the code of $file', ({ file, code }) => {
    expect(code).toBe(read(file))
  })

  it('shows every example', () => {
    const examples = [
      ...readdirSync(join(root, 'docs/examples')).filter((name) => name.endsWith('.ts')),
      ...readdirSync(join(root, 'docs/examples/deploy')).map((name) => `deploy/${name}`),
      ...codeFiles()
        .filter((path) => /^docs\/examples\/(?:migrate|tutorial)\//.test(path))
        .map((path) => path.slice('docs/examples/'.length)),
    ].filter((name) => !isTest(name) && !name.includes('__fixtures__') && !name.endsWith('.d.ts'))
    const shown = codeBlocks.map(({ file }) => file)
    expect(examples.filter((name) => !shown.includes(`docs/examples/${name}`))).toEqual([])
  })

  it('links to existing files and headings, in code blocks that are complete', () => {
    const texts = new Map(documents.map((document) => [document, read(document)]))
    expect(brokenReferences({ texts, exists: (path) => exists(join(root, path)) })).toEqual([])
  })

  it.each(documents)('has commands in %s that an interactive zsh takes as they are', (document) => {
    const commands = [...read(document).matchAll(/^```sh\n([\s\S]*?)^```$/gm)].flatMap(([, block = '']) =>
      block.split('\n'),
    )
    // It reads a comment behind a command as words, and `?` as a pattern.
    const refused = commands.filter((line) => /^\s*[^#\s].*\s# /.test(line) || /\shttps?:[^"'\s]*\?/.test(line))
    expect(refused).toEqual([])
  })

  it.each(guides)('says in %s how to install what its examples import', (guide) => {
    const text = read(guide)
    const commands = [...text.matchAll(/npm i (?:-D )?([^`\n]*)/g)].flatMap(([, words = '']) => words.split(/[\s,;:]+/))
    // The other library's side of a migration is installed already.
    const blocks = guide.startsWith('docs/migrate/')
      ? /```ts docs\/.*\n([\s\S]*?)```/g
      : /```[jt]sx?\b.*\n([\s\S]*?)```/g
    const imported = [...text.matchAll(blocks)].flatMap(([, code = '']) => [
      ...code.matchAll(/(?: from |\bimport\()'((?:@[\w-]+\/)?[\w-]+(?=['/]))/g),
    ])
    const missing = imported.map(([, name = '']) => name).filter((name) => !commands.includes(name))
    expect(missing.filter((name) => name !== 'agentkit')).toEqual([])
  })

  it.each(documents)('names only existing files in %s', (document) => {
    const named = [...read(document).matchAll(/`((?:packages|apps|bench|docs|scripts)\/[\w./-]*[\w/])`/g)]
    expect(named.map(([, path = '']) => path).filter((path) => !exists(join(root, path)))).toEqual([])
  })
})

describe('the pages of the error codes', () => {
  const codes = Object.keys(errorCodes)

  it('are one for each code of the closed list', () => {
    const pages = readdirSync(join(root, 'docs/errors')).map((name) => name.replace(/\.md$/, ''))
    expect(pages.sort()).toEqual([...codes, 'index'].sort())
    expect(codes.filter((code) => !read('docs/errors/index.md').includes(`[${code}](${code}.md)`))).toEqual([])
  })

  it.each(codes)('explain %s: its meaning, its cause and the fix', (code) => {
    expect(read(`docs/errors/${code}.md`)).toMatch(
      new RegExp(`^# ${code}\n\n.{20,}\n\n## Why\n\n(?:- .+\n|  .+\n)+\n## What to do\n\n(?:- .+\n|  .+\n)+\n`),
    )
  })
})

describe('the site', () => {
  it('lists every page in its sidebar, and no other', () => {
    const links = sidebar(join(root, 'docs')).flatMap(({ items }) => items.map(({ link }) => link))
    const listed = links.map((link) => `docs${link === '/' ? '/index' : link}.md`)
    const generated = (path: string) => path.startsWith('docs/api/')
    const pages = markdownIn('docs').filter((path) => !path.startsWith('docs/examples/'))
    expect(listed.filter((path) => !generated(path)).sort()).toEqual(pages.sort())
  })

  it('has an llms.txt of its guides (`npm test -- docs --update` after a change)', async () => {
    await expect(llmsText(join(root, 'docs'))).toMatchFileSnapshot('docs/llms.txt')
  })
})

describe('the lists of the documentation', () => {
  it('contain every event', () => {
    const [, bodies = ''] = read('packages/core/src/data/event.ts').split(/AgentEventBody =|export type AgentEvent =/)
    const types = [...bodies.matchAll(/^ {6}type: '([a-z-]+)'$/gm)].map(([, type]) => type)
    const [, listed = ''] = read('docs/guides/http.md').match(/^The events have ([\s\S]*?)\n\n/m) ?? []
    expect(types).toContain('run-end')
    expect(types.filter((type) => !listed.includes(`\`${type}\``))).toEqual([])
  })

  it('contain every error code with its status', () => {
    const rows = [...read('docs/guides/http.md').matchAll(/^\| (\d{3}) \| (.*) \|$/gm)]
    const documented = rows.flatMap(([, status, codes = '']) =>
      [...codes.matchAll(/`([a-z-]+)`/g)].map(([, code]) => [code, Number(status)]),
    )
    const table = Object.entries(problemTable).map(([code, { status }]) => [code, status])
    expect(documented.sort()).toEqual(table.sort())
  })

  it.each<[string, string]>([
    ['reliability', `${limits.assumedAnswerTokens.toLocaleString('en-US')} tokens where that is not known`],
    ['reliability', `with less than ${limits.leastAnswerTokens} tokens left for it, the run ends`],
    ['swarms', `the handoffs (default ${limits.handoffs})`],
    ['swarms', `at most ${limits.nestedRuns} runs deep`],
    ['reliability', `Runs may be nested ${limits.nestedRuns} deep`],
    ['reliability', `A call has ${limits.retryAttempts} attempts`],
    [
      'reliability',
      `more than ${limits.longestRetryAfterMs / 1000} seconds, the call is tried again after ${limits.longestRetryMs / 1000}.`,
    ],
    [
      'reliability',
      `has ${limits.attemptsBeforeFallback} attempts and is waited for ${limits.longestWaitBeforeFallbackMs / 1000} second at most`,
    ],
    [
      'reliability',
      `has failed ${limits.breakerFailures} steps in a row is not called for ${limits.breakerMs / 1000} seconds`,
    ],
    ['reliability', `\`modelTimeoutMs\` | ${limits.modelTimeoutMs / 60_000} min |`],
    ['reliability', `| ${limits.toolTimeoutMs / 1000} s | an error result for the model`],
    ['reliability', `${limits.maxSteps} model calls were answered`],
    ['approvals', `${limits.approvalDays} days, and for at most ${limits.mostApprovalDays}`],
    ['sessions', `${limits.sessionQueue.toLocaleString('en-US')} `],
  ])('has the figures of the loop, in the guide %s: %s', (guide, words) => {
    expect(read(`docs/guides/${guide}.md`).replaceAll('\n', ' ')).toContain(words)
  })

  it('have a test for every quirk, and every quirk that a test names', () => {
    const documented = [...read('docs/quirks.md').matchAll(/^\| (Q\d+) \|/gm)].map(([, quirk]) => quirk)
    expect(documented).toEqual(Array.from({ length: documented.length }, (_, index) => `Q${index + 1}`))
    const tests = codeFiles().filter((path) => isTest(path) || path.includes('/provider-contract/'))
    // Test names are in quotes: `…(Q7, Q48)`.
    const named = tests.flatMap((path) =>
      [...read(path).matchAll(/\((Q\d+(?:, Q\d+)*)\)/g)].flatMap(([, list = '']) => list.split(', ')),
    )
    expect([...new Set(named)].sort()).toEqual([...documented].sort())
  })

  it('contain every limit of the server', () => {
    const [, section = ''] = /^## Limits\n(.*?)^## /ms.exec(read('docs/guides/http.md')) ?? []
    const documented = [...section.matchAll(/^\| `(\w+)` \|/gm)]
    expect(documented.map(([, name]) => name)).toEqual(Object.keys(defaultLimits))
  })

  const guides = ['configuration', 'mcp', 'providers'].map((guide) => `docs/guides/${guide}.md`)
  it.each([['the guides', guides] as const, ['agentkit_config.toml', ['agentkit_config.toml']] as const])(
    'has every key of the configuration, in %s',
    (_, files) => {
      const tables = [
        defaultsKeys,
        serverKeys,
        retentionKeys,
        webhookKeys,
        samplePromptKeys,
        retrieverKeys,
        embeddingKeys,
        mcpKeys,
        providerKeys,
        providerModelKeys,
      ]
      const keys = tables.flatMap((table) => Object.entries<ConfigKey>(table))
      const text = files.map(read).join('\n')
      expect(keys.map(([name]) => name).filter((name) => !new RegExp(`\\b${name}\\b`).test(text))).toEqual([])
    },
  )
})

function read(path: string): string {
  return readFileSync(join(root, path), 'utf8')
}

function exists(path: string): boolean {
  try {
    readdirSync(path)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOTDIR'
  }
}

function markdownIn(folder: string): string[] {
  return textFiles().filter((path) => path.startsWith(`${folder}/`) && path.endsWith('.md'))
}
