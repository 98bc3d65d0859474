import { describe, expect, it } from 'vitest'
import { readFileOf } from '../__fixtures__/read-file-of.ts'
import { parseMarkdown, parseMdx } from './parse-markdown.ts'

async function said(content: string): Promise<string[]> {
  return (await readFileOf(parseMarkdown, content)).said
}

async function saidByMdx(content: string): Promise<string[]> {
  return (await readFileOf(parseMdx, content)).said
}

describe('parseMarkdown', () => {
  it('keeps the text near its source', async () => {
    const source =
      '# Handbook\n\nYou have **30 days** of [leave](https://x.y/leave).\n\n- one\n- two\n\n> quoted `<b>`\n'
    const { text, parsed } = await readFileOf(parseMarkdown, source)
    expect(text).toBe(source.trim())
    expect(parsed).toEqual({ status: 'ok', title: 'Handbook' })
  })

  it('finds headings of all kinds', async () => {
    const source = [
      '# One #',
      '   ### Three ###',
      '####### seven',
      '#hashtag',
      'Two\nlines\n---',
      'Above\n=====',
      '## With `code`, **bold** and a [link](https://x.y) {#id}',
      '<h1 align="center">\n  <img alt="Acme" src="x.png"> Hand<b>book</b>\n</h1>',
      '##',
      '- item\n---',
      '    # code',
    ].join('\n\n')
    expect((await said(source)).filter((block) => block.startsWith('heading'))).toEqual([
      'heading 1: # One',
      'heading 3: ### Three',
      'heading 2: ## Two lines',
      'heading 1: # Above',
      'heading 2: ## With `code`, **bold** and a [link](https://x.y)',
      'heading 1: # Acme Handbook',
    ])
  })

  it('finds a heading directly below and above text', async () => {
    expect(await said('text\n# A\nmore\n## B\n')).toEqual([
      'text: text',
      'heading 1: # A',
      'text: more',
      'heading 2: ## B',
    ])
  })

  it.each([
    ['backticks', '```sh\n# no heading\n\n<b>\n```'],
    ['tildes, with backticks within', '~~~\n```\n# no heading\n```\n~~~~'],
    ['more backticks', '````md\n```\n# no\n```\n````'],
    ['an indent', '    # no heading\n\n    <b> &amp;'],
    ['no end', '```\n# no heading\n\nlast'],
    ['a quote', '> ```\n> # no heading\n> ```'],
  ])('keeps code between %s as it is', async (_, code) => {
    const [, block = '', ...more] = await said(`Text\n\n${code}\n`)
    expect(block).toBe(`code: ${code.replace(/^ {4}/gm, '')}`)
    expect(more).toEqual([])
  })

  it('ends unclosed code of a quote with the quote', async () => {
    expect(await said('> ```\n> code\n\n# Heading')).toEqual(['code: > ```\n> code', 'heading 1: # Heading'])
  })

  it('removes the indentation of code in lists', async () => {
    expect(await said('1. do\n\n   ```js\n   if (x)\n     go()\n   ```\n\n   then')).toEqual([
      'text: 1. do',
      'code: ```js\nif (x)\n  go()\n```',
      'text: then',
    ])
    expect(await said('- item\n\n      still the item')).toEqual(['text: - item', 'text: still the item'])
  })

  it('finds tables', async () => {
    expect(await said('Before\n| a | b      |\n|---|:------:|\n| 1 | `x<b>`<br>y |\n\nAfter')).toEqual([
      'text: Before',
      'table: | a | b  |\n|---|:---:|\n| 1 | `x<b>` y |',
      'text: After',
    ])
  })

  it('removes comments, scripts and rules, but loses nothing to an unclosed comment', async () => {
    expect(await said('a <!-- b --> c\n\n<!--\n\n# d\n\n-->\n\n---\n\n<script>\ne\n</script>\n***\nf')).toEqual([
      'text: a c',
      'text: f',
    ])
    expect(await said('a\n\n<!-- b\n\n# c')).toEqual(['text: a', 'text: <!-- b', 'heading 1: # c'])
  })

  it('reduces HTML to its text', async () => {
    const html =
      '<details open>\n<summary>More</summary>\n<p>H<sub>2</sub>O<br/>&lt;ok&gt; &nbsp;<img alt="A cat" src="c.png"></p>\n</details>'
    expect(await said(html)).toEqual(['text: More\nH2O\n<ok> A cat'])
    expect(await said('<table><tr><td>a</td><td>b</td></tr></table>')).toEqual(['text: a b'])
    expect(await said('<a\n  href="x"\n\n  title="Long > tag">link</a>')).toEqual(['text: Long > tag link'])
    expect(await said('<Tabs>\n<TabItem value="x" label="For x">\n\nText\n\n</TabItem>\n</Tabs>')).toEqual([
      'text: For x',
      'text: Text',
    ])
    expect(await said('<p>\n    <a href="x">\n        Link</a>\n</p>')).toEqual(['text: Link'])
    expect(await said('<pre>\n# no <b>heading</b>\n</pre>')).toEqual(['code: # no heading'])
  })

  it('removes inline components, and keeps their content', async () => {
    expect(await said('See <Note>the *new* rules</Note>, and <Tip>more</Tip>.')).toEqual([
      'text: See the *new* rules , and more .',
    ])
    expect(await said('Array<String> is <T> here, `<T>x</T>`')).toEqual(['text: Array<String> is <T> here, `<T>x</T>`'])
  })

  it.each([
    'Array<Note>x, Promise <T> and List<Array<T>>',
    'Map<string, Value> and <your name> and a < b > c',
    'Write `<div>` and ``a ` <b>`` and <https://example.com> to <ann@example.com>',
    'one ` backtick, 5 * 3, C:\\temp and AT&T &unknown;',
    '[a](https://example.com "title") and [b][1] and ![',
    '[1]: https://example.com',
    '[^1]: A note.',
  ])('leaves %j as it is', async (text) => {
    expect(await said(text)).toEqual([`text: ${text}`])
  })

  it('resolves references, escapes, images and long links', async () => {
    const long = `https://example.com/${'x'.repeat(200)}`
    const source = `snake\\_case &copy; &#8364; &#x41; ![A cat](c.png) [![npm](https://img.shields.io/x)](https://npm.im/x) [doc](${long})`
    expect(await said(source)).toEqual(['text: snake_case © € A A cat [npm](https://npm.im/x) [doc]'])
  })

  it('reads the title and description of front matter', async () => {
    const yaml = '---\ntitle: "Hand & \\"book\\""\ndescription: >-\n  All that you\n  need.\ntags: [a]\n---\n\nText\n'
    const read = await readFileOf(parseMarkdown, yaml)
    expect(read.said).toEqual(['heading 1: Hand & "book"', 'text: All that you need.', 'text: Text'])
    expect(read.parsed.title).toBe('Hand & "book"')
  })

  it.each([
    ["---\ntitle: It's C# # comment\nsummary: 'Don''t'\n---\n", "It's C#", "Don't"],
    ['---\n# comment\nlayout: x\nTitle: Über: uns\nnested:\n  title: no\n---\n', 'Über: uns', undefined],
    ['---\r\ntitle: |\r\n  Two\r\n  lines\r\n...\r\n', 'Two lines', undefined],
    ['+++\ntitle = "Hugo"\ndescription = """\nlong\n"""\n[extra]\ntitle = "no"\n+++\n', 'Hugo', 'long'],
    ["+++\ntitle = 'C:\\temp'\n+++\n", 'C:\\temp', undefined],
    ['---\ntitle: [a, b]\ndescription:\n  - x\n---\n', undefined, undefined],
  ])('reads %j', async (matter, title, description) => {
    const read = await readFileOf(parseMarkdown, `${matter}Body`)
    expect(read.parsed.title).toBe(title)
    const texts = [description, 'Body'].filter((text) => text !== undefined)
    expect(read.said.filter((block) => block.startsWith('text'))).toEqual(texts.map((text) => `text: ${text}`))
  })

  it('returns a title once', async () => {
    expect(await said('---\ntitle: A\ndescription: B\n---\n# A\nText')).toEqual([
      'heading 1: # A',
      'text: B',
      'text: Text',
    ])
  })

  it('does not treat a rule at the top as front matter', async () => {
    expect(await said('---\nSome text here\n---\nmore')).toEqual(['heading 2: ## Some text here', 'text: more'])
    expect(await said('---\ntitle: never closed\n\nText')).toEqual(['text: title: never closed', 'text: Text'])
  })

  it.each(['', '\n \n', '<!-- a -->', '---\nlayout: x\n---\n', '---', '<div></div>\n***'])(
    'finds no text in %j',
    async (source) => {
      await expect(said(source)).rejects.toMatchObject({ status: 'no-text' })
    },
  )

  it('returns a long file in pieces', async () => {
    const source = Array.from(
      { length: 20_000 },
      (_, index) => `## Part ${index}\n\n${'Some text. '.repeat(5)}\n\n`,
    ).join('')
    const read = await readFileOf(parseMarkdown, source)
    expect(read.pieces.length).toBeGreaterThan(2)
    expect(read.said).toHaveLength(40_000)
    expect(read.text).toBe(source.replaceAll(/ \n/g, '\n').trim())
  })
})

describe('parseMdx', () => {
  it('removes imports and exports, including multi-line ones', async () => {
    const source = [
      "import { Tabs,\n  Tab } from 'nextra'\nimport X from './x'",
      'export const config = {\n  items: [1, 2],\n\n  text: "}",\n}\n',
      "export default function Layout({ children }) {\n  return <p>Don't index {`{`}</p>\n\n}",
      'export * from "./y"',
      '# Title\n\nimport taxes are high\n\nexported goods',
      "import 'z'\n## Next",
    ].join('\n\n')
    expect(await saidByMdx(source)).toEqual([
      'heading 1: # Title',
      'text: import taxes are high',
      'text: exported goods',
      'heading 2: ## Next',
    ])
  })

  it.each([
    'You can\nexport default settings as JSON.',
    'Then\nimport { data } from the menu, or\nexport const values = 1',
    'export default settings of the device.',
    'export default settings.',
    'import data from the menu.',
    'export function keys with care.',
    'export const values are kept.',
    'export type and import type are words.',
    'import cars,\nboats and trains.',
  ])('keeps a sentence that begins like code: %s', async (sentence) => {
    expect(await saidByMdx(`# Title\n\n${sentence}\n\nText`)).toEqual([
      'heading 1: # Title',
      `text: ${sentence}`,
      'text: Text',
    ])
  })

  it.each([
    'export default Layout',
    'export default Layout;',
    'export default withLayout(Page)',
    'export default () => <p>Hi</p>',
    'export default async function Page() {}',
    'export default { title: "x" }',
    'export default Layout // the frame',
    'export const a: string = "x"',
    'export const { a } = b',
    'export let a',
    'export async function getData() {}',
    'export function* all() {}',
    'export class Page extends Component {}',
    'export type Props = { a: string }',
    'export interface Props { a: string }',
    'export enum Kind { A }',
    "import x from\n  'y'",
    "import x,\n  { y } from 'z'",
    "import x,\n  * as y from 'z'",
  ])('removes code: %s', async (code) => {
    expect(await saidByMdx(`${code}\n\nText`)).toEqual(['text: Text'])
  })

  it('loses at most a paragraph to an unclosed export', async () => {
    expect(await saidByMdx('export const a = {\n\n# Title\n\nText')).toEqual(['heading 1: # Title', 'text: Text'])
  })

  it('keeps the content of components and their labels', async () => {
    const source = [
      '<Tabs items={["a", "b"]}>\n  <Tab\n    title="With npm"\n\n    onClick={() => { go("x > y") }}\n  >\n        ## Install',
      '        ```sh\n        # no heading\n        <Tab>\n        ```',
      "    Text in <Badge label={'new'} /> JSX{' '}\n    {/* hidden\n */}and {props.x}.\n  </Tab>\n</Tabs>",
      '<>\n\n<Callout description={`Mind`}>the *gap*</Callout>\n\n</>',
      '<File name="turbo.json" className="px-2 py-4" icon="box" hint={\'Where it is\'} />',
      "<Cards\n  items={[\n    { title: 'One', href: '/one', text: 'The first of all' },\n  ]}\n/>",
      '{/*\n\n# hidden\n\n*/}',
    ].join('\n\n')
    expect(await saidByMdx(source)).toEqual([
      'text: With npm',
      'heading 2: ## Install',
      'code: ```sh\n# no heading\n<Tab>\n```',
      'text: Text in new JSX',
      'text: and {props.x}.',
      'text: Mind the *gap*',
      'text: turbo.json\nWhere it is',
      'text: One\nThe first of all',
    ])
  })

  it('keeps code unchanged', async () => {
    const code = '```jsx\nimport a from "b"\n\nexport const x = <b title="t">{/* c */}</b>\n```'
    expect(await saidByMdx(`${code}\n\n\`<b>{x}\``)).toEqual([`code: ${code}`, 'text: `<b>{x}`'])
  })

  it('reads an exported title', async () => {
    const read = await readFileOf(
      parseMdx,
      "export const metadata = {\n  title: \"It's\",\n  description: 'D',\n}\n\nText",
    )
    expect(read.parsed.title).toBe("It's")
    expect(read.said).toEqual(["heading 1: It's", 'text: D', 'text: Text'])
  })
})
