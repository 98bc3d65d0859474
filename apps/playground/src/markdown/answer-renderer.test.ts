import { runInNewContext } from 'node:vm'
import { Lexer } from 'marked'
import { afterAll, beforeEach, expect, it, vi } from 'vitest'

/** The parts of an element that a block shown as text, or as code that grows, needs. */
class FakeNode {
  childNodes: FakeNode[] = []
  parent: FakeNode | undefined
  data: string
  constructor(data = '') {
    this.data = data
  }
  get firstChild() {
    return this.childNodes[0]
  }
  get lastElementChild() {
    return this.childNodes.at(-1)
  }
  get childElementCount() {
    return this.childNodes.length
  }
  get text(): string {
    return this.data + this.childNodes.map(({ text }) => text).join('')
  }
  append(...nodes: FakeNode[]) {
    for (const node of nodes) {
      node.remove()
      node.parent = this
      this.childNodes.push(node)
    }
  }
  appendData(data: string) {
    this.data += data
  }
  remove() {
    if (this.parent) this.parent.childNodes = this.parent.childNodes.filter((node) => node !== this)
    this.parent = undefined
  }
  replaceChildren() {
    this.childNodes = []
  }
  querySelector() {
    return this.firstChild
  }
  replaceWith(node: FakeNode) {
    const { parent } = this
    this.remove()
    parent?.append(node)
  }
  querySelectorAll() {
    return []
  }
  addEventListener() {}
  setAttribute() {}
}

vi.stubGlobal('document', {
  documentElement: {},
  createElement: () => new FakeNode(),
  createDocumentFragment: () => new FakeNode(),
  createTextNode: (data: string) => new FakeNode(data),
})
// Sanitizing needs a browser.
vi.doMock('./sanitize.ts', () => ({
  sanitize: (html: string) => {
    const content = new FakeNode()
    content.append(new FakeNode(html))
    return content
  },
}))
vi.useFakeTimers({ toFake: ['performance'] })
const { AnswerRenderer, fenceStart } = await import('./answer-renderer.ts')
const { blocksOf } = await import('./to-html.ts')
afterAll(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

let host: FakeNode
let renderer: InstanceType<typeof AnswerRenderer>
beforeEach(() => {
  host = new FakeNode()
  renderer = new AnswerRenderer(host as unknown as HTMLElement) // as far as it is used
})

/** Too long to be rendered whenever it grows. */
const long = 'word '.repeat(3_100)

it('shows a text that came while it rested, although nothing comes after it', () => {
  renderer.update(long, false)
  expect(renderer.update(`${long}and more`, false)).toBe(true)
  expect(renderer.update(`${long}and more, and the end`, false)).toBe(false)
  expect(renderer.update(`${long}and more, and the end`, false)).toBe(false)
  vi.advanceTimersByTime(1_000)
  expect(renderer.update(`${long}and more, and the end`, false)).toBe(true)
  expect(host.text).toBe(`${long}and more, and the end`)
})

it('shows another text in the place of a longer one', () => {
  renderer.update(`${long}in the first attempt`, false)
  expect(renderer.update(`${long}again`, false)).toBe(true)
  expect(host.text).toBe(`${long}again`)
})

it.each([
  ['```js\nlet a\n', true],
  ['   ~~~ `a`\nlet a\n', true],
  ['````\n```\n', true],
  ['```npm install``` is the command\nto run.\n', false],
  ['````a` is not closed\n', false],
])('takes %j for the beginning of code as Markdown does: %s', (text, isCode) => {
  expect(fenceStart.test(text)).toBe(isCode)
  expect(blocksOf(text, Object.create(null))[0]?.type === 'code').toBe(isCode)
})

it.each(['~', '`'])('reads a line of 200,000 %s once', (sign) => {
  // Reading it again for each of its signs takes minutes.
  const place = { fenceStart, line: sign.repeat(200_000) }
  expect(runInNewContext('fenceStart.test(line)', place, { timeout: 15_000 })).toBe(false)
})

it('shows code whose fence is longer than a regex may be', () => {
  const begin = `${'`'.repeat(33_500)}\nlet a`
  renderer.update(begin.slice(0, 19_000), false)
  vi.advanceTimersByTime(1_000)
  renderer.update(begin, false)
  vi.advanceTimersByTime(1_000)
  expect(renderer.update(`${begin} = 1`, false)).toBe(true)
  expect(host.text).toContain('let a = 1')
})

it('reads no text as a whole that has link definitions', () => {
  const lex = vi.spyOn(Lexer.prototype, 'lex')
  const text = `[a]: https://example.com\n\n${'Some words, and [a].\n\n'.repeat(5_000)}`
  while (!renderer.update(text, true)) vi.advanceTimersByTime(20)
  expect(host.text.split('href="https://example.com/"')).toHaveLength(5_001)
  expect(Math.max(...lex.mock.calls.map(([{ length }]) => length))).toBeLessThan(20_000)
  lex.mockRestore()
})

it('keeps a very long block as text at its end', () => {
  const text = `- a\n\n${'  b\n'.repeat(20_000)}`
  const lex = vi.spyOn(Lexer.prototype, 'lex')
  while (!renderer.update(text, true)) vi.advanceTimersByTime(20)
  expect(Math.max(...lex.mock.calls.map(([{ length }]) => length))).toBeLessThan(40_000)
  lex.mockRestore()
})
