import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { cliFolder } from '../../__fixtures__/cli-folder.ts'
import { hasTmux, Terminal } from '../../__fixtures__/terminal.ts'
import { pageNamed, readPage, readPages, searchPages } from './pages.ts'
import { render } from './render.ts'

const { folder, agentkit } = cliFolder()
const pages = readPages(join(import.meta.dirname, '../../../../../docs'))

describe('the pages of the documentation', () => {
  it('are the guides with their titles, and one for each error code', () => {
    const { title, group } = pageNamed('approvals', pages)
    expect([title, group]).toEqual(['Approvals', 'Agents'])
    expect(readPage(pageNamed('budget', pages))).toMatch(/^# budget\n/)
    expect(pages.length).toBeGreaterThan(50)
  })

  it.each([
    ['guides/approvals.md', 'approvals'],
    ['docs/guides/approvals', 'approvals'],
    ['Approvals', 'approvals'],
    ['auth', 'auth'],
    ['errors/auth', 'errors/auth'],
    ['session-conflict', 'errors/session-conflict'],
    ['Structured output', 'output'],
    ['migrate/ai-sdk', 'migrate/ai-sdk'],
    ['ai-sdk', 'ai-sdk'],
    ['Mastra', 'migrate/mastra'],
    ['langgraph', 'migrate/langgraph'],
  ])('are found by the name %s', (word, name) => {
    expect(pageNamed(word, pages).name).toBe(name)
  })

  it.each(['../package.json', '/etc/passwd', 'errors/../../package.json'])('are no other files: %s', (word) => {
    expect(() => pageNamed(word, pages)).toThrow(/^There is no page/)
  })

  it('are searched by words, those first that are about them', () => {
    const found = searchPages(['Skills'], pages, 3)
    expect(found[0]?.page.name).toBe('skills')
    expect(found[0]?.lines.length).toBe(3)
    expect(searchPages(['skills', 'pins lock'], pages, 8).map(({ page }) => page.name)).toContain('skills')
    expect(searchPages(['skills', 'xyzzy'], pages, 8)).toEqual([])
    expect(searchPages([' '], pages, 8)).toEqual([])
    // From the beginning of a word, or of a part of one: not within "storage" and "invoice".
    const [first] = searchPages(['RAG'], pages, 8)
    expect(first?.page.name).toBe('retrieval')
    expect(searchPages(['oice'], pages, 8)).toEqual([])
    expect(searchPages(['policy'], pages, 8).length).toBeGreaterThan(0)
    expect(searchPages(['ToolContext', 'context'], pages, 8).map(({ page }) => page.name)).toContain('functions')
  })
})

describe('a page on a terminal', () => {
  const page = `# Title with \`code\`

A paragraph that is **rather long**, with a [link](a.md#b), which
is wrapped.

- An item that is longer than one line of the terminal is.
1. Numbered

![picture](a.png)

\`\`\`ts docs/examples/a.ts
const a = '**no bold**'
\`\`\`

| key | what |
|---|---|
| \`a\\|b\` | short |
`

  it('has wrapped paragraphs, code as it is, and tables in columns', () => {
    expect(render(page, { columns: 40, hasColors: false })).toBe(`Title with code

A paragraph that is rather long, with a
link, which is wrapped.

- An item that is longer than one line
  of the terminal is.
1. Numbered


    const a = '**no bold**'

key  what
a|b  short
`)
  })

  it('has a table that is too wide as a list', () => {
    const table = '| key | what |\n|---|---|\n| `a` | a text that is longer than the line |\n'
    expect(render(table, { columns: 20, hasColors: false })).toBe(
      'a\n    a text that is\n    longer than the\n    line\n',
    )
  })

  it('has colours where the terminal has them', () => {
    const shown = render('# A\n\n**b c** `d`', { columns: 40, hasColors: true })
    expect(shown).toBe(
      '\u001b[1m\u001b[4mA\u001b[24m\u001b[22m\n\n\u001b[1mb\u001b[22m \u001b[1mc\u001b[22m \u001b[36md\u001b[39m\n',
    )
  })

  it.each(pages.map(({ name }) => name))('shows %s within its columns, apart from code and long words', (name) => {
    const text = render(readPage(pageNamed(name, pages)), { columns: 80, hasColors: false })
    const long = text
      .split('\n')
      .filter((line) => line.length > 80 && !line.startsWith('    ') && line.trim().includes(' '))
    expect(long.filter((line) => !/\S{60}/.test(line))).toEqual([])
  })
})

describe('agentkit docs', () => {
  it('lists the pages, and shows one as Markdown in a pipe', async () => {
    const listed = await agentkit(['docs'])
    expect(listed).toMatchObject({ code: 0, error: '' })
    expect(listed.out).toMatch(/^Start\n.*\nAgents\n.*\n {2}approvals +Approvals\n.*Error codes\n {2}aborted, /s)
    const { code, out } = await agentkit(['docs', 'approvals'])
    expect([code, out]).toEqual([0, readPage(pageNamed('approvals', readPages())).trimEnd()])
  })

  it('searches, and ends with 1 where nothing is found', async () => {
    const { code, out } = await agentkit(['docs', 'search', 'idempotency', 'key'])
    expect(code).toBe(0)
    expect(out).toMatch(/^\S+: .*\n {2}\S/)
    expect(await agentkit(['docs', 'search', 'xyzzy'])).toMatchObject({
      code: 1,
      out: '',
      error: expect.stringContaining('No page has xyzzy.'),
    })
  })

  it('names the nearest page for one that is not there', async () => {
    expect(await agentkit(['docs', 'aprovals'])).toMatchObject({
      code: 2,
      error: 'There is no page "aprovals". Did you mean "approvals"?',
    })
  })

  it('takes several words as the title of a page, or the nearest name', async () => {
    const { code, out } = await agentkit(['docs', 'from', 'mastra'])
    expect([code, out]).toEqual([0, readPage(pageNamed('mastra', readPages())).trimEnd()])
    expect(await agentkit(['docs', 'rate', 'limit'])).toMatchObject({
      code: 2,
      error: 'There is no page "rate limit". Did you mean "rate-limit"?',
    })
  })

  it('is completed by shells', async () => {
    const { out } = await agentkit(['completion', 'bash'])
    expect(out).toContain('"/docs "*) words="search"')
  })

  it.skipIf(!hasTmux)('shows a long page in the pager of a terminal, and a short one at once', async () => {
    const env = { PAGER: "sed -e 's/^/> /' -e 3q" }
    using long = new Terminal(['docs', 'approvals'], { cwd: folder, columns: 80, env })
    await long.shows(/> Approvals[\s\S]*ended with 0/)
    using short = new Terminal(['docs', 'budget'], { cwd: folder, columns: 80, env })
    const screen = await short.shows(/What to do[\s\S]*ended with 0/)
    expect(screen).not.toContain('> ')
    using missing = new Terminal(['docs', 'approvals'], { cwd: folder, columns: 80, env: { PAGER: 'no-such-pager' } })
    await missing.shows(/ended with 0/)
    expect(missing.screen()).not.toContain('# Approvals')
  })
})
