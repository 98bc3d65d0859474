import type { Token } from 'marked'
import { finishBlock, frameCode } from './finish-block.ts'
import { continued, finishedPart, type OpenBlock, placeOf } from './open-block.ts'
import { sanitize } from './sanitize.ts'
import { blocksOf, htmlOf, type Links } from './to-html.ts'

/** A block of more characters is shown as text: its Markdown would have to be read whenever it grows. */
const maxBlock = 12_000
/** New text is rendered in steps of this length, so that the finished part of a long list or table is kept at each. */
const maxStep = 8_000
/** The page answers its reader between steps that take longer together, in milliseconds. */
const maxBusyMs = 300
/**
 * Backticks with others on their line are code within a paragraph. A fence is all signs in a row: fewer of them would be
 * tried as well, each time with the rest of the line.
 */
export const fenceStart = /^ {0,3}(`{3,}(?!`)(?!.*`)|~{3,}(?!~)).*\n/
/** So much of a fence is looked for in text that is new: a regex of a very long one does not compile. */
const soughtFence = 100
/** At most this share of the time goes into rendering one block that grows. */
const restPerRender = 3
/** The browser lays out a long text as a whole whenever it grows: it waits this many milliseconds per character. */
const restPerCharacter = 1 / 400
/** The browser watches for each element of the answer whether it is on the screen, so these are groups of blocks. */
const blocksPerGroup = 16

/**
 * Renders a growing text. Complete blocks are rendered once, and only the last block again; for a long list or table
 * only its end. New text is appended to code and very long blocks.
 */
export class AnswerRenderer {
  readonly #host: HTMLElement
  /** The part of the text that is shown. */
  #text = ''
  /** The offset of the last block. */
  #start = 0
  #links: Links = Object.create(null)
  /** The elements of the last block. */
  #last: ChildNode[] = []
  /** The list or table that the last block continues. */
  #open: OpenBlock | undefined
  #growing: { node: Text; shown: number; fence: string | undefined } | undefined
  #restUntil = 0
  /** How many link definitions the blocks were rendered with from the first one on. */
  #known = 0

  constructor(host: HTMLElement) {
    this.#host = host
  }

  /**
   * @param isDone whether the text is complete
   * @returns whether it shows the whole text; otherwise it is to be called again
   */
  update(text: string, isDone: boolean): boolean {
    if (!this.#continues(text)) this.#reset()
    const hasGrown = text.length > this.#text.length
    if (!hasGrown && !isDone) return true
    const begin = performance.now()
    while (text.length - this.#text.length > maxStep) {
      if (performance.now() - begin > maxBusyMs) return false
      this.#restUntil = 0
      this.update(text.slice(0, this.#text.length + maxStep), false)
    }
    if (!isDone && begin < this.#restUntil) return false
    this.#text = text
    const isAppended = this.#grow(isDone)
    if (!isAppended) this.#render(isDone)
    // A link definition at the end of a text also applies to the blocks before it.
    if (isDone && Object.keys(this.#links).length > this.#known) {
      this.#reset(this.#links)
      return this.update(text, true)
    }
    const now = performance.now()
    const rest = isAppended ? (text.length - this.#start) * restPerCharacter : (now - begin) * restPerRender
    this.#restUntil = now + rest
    return true
  }

  #continues(text: string): boolean {
    const { length } = this.#text
    // Comparing all of it in each frame would take longer the longer it is.
    return text.length >= length && text.endsWith(this.#text.slice(-32), length)
  }

  #reset(links: Links = Object.create(null)): void {
    this.#host.replaceChildren()
    this.#text = ''
    this.#start = 0
    this.#links = links
    this.#last = []
    this.#open = undefined
    this.#growing = undefined
    this.#restUntil = 0
    this.#known = Object.keys(links).length
  }

  #render(isDone: boolean): void {
    const tail = this.#text.slice(this.#start)
    for (const node of this.#last) node.remove()
    if (this.#host.lastElementChild?.childElementCount === 0) this.#host.lastElementChild.remove()
    this.#last = []
    this.#growing = undefined
    const blocks = this.#blocksOf(tail)
    // Blank lines may be followed by what belongs to the block before them.
    const found = blocks.findLastIndex(({ type }) => type !== 'space')
    const isClosed = isClosedCode(blocks[found])
    // An apparent end of code may be a line of the code that begins with backticks.
    const lastAt = isClosed && tail.slice(tail.trimEnd().length).includes('\n') ? blocks.length : found
    let at = -(this.#open?.prefix.length ?? 0)
    for (const [index, block] of blocks.entries()) {
      if (!isDone && index >= lastAt) break
      const isText = block.raw.length > maxBlock && block.type !== 'code'
      this.#append(isText ? textBlock(block.raw) : this.#rendered(block))
      at += block.raw.length
      this.#open = undefined
    }
    at = Math.max(0, at)
    this.#start += at
    const open = tail.slice(at)
    const fence = fenceStart.exec(open)
    const last = blocks[lastAt]
    if (open === '' || isDone) return
    if (fence?.[1] && !isClosed) this.#growCode(open, fence[0], fence[1])
    else if (open.length > maxBlock && !isClosed) this.#growText(open)
    else if (last && !this.#keepPart(last)) this.#append(this.#rendered(last, false), true)
  }

  /** The blocks of the rest of the text; the first one continues the open list or table. */
  #blocksOf(tail: string): Token[] {
    const { type, prefix = '' } = this.#open ?? {}
    const blocks = blocksOf(prefix + tail, this.#links)
    if (type === undefined || blocks[0]?.type === type) return blocks
    this.#open = undefined
    return prefix === '' ? blocks : blocksOf(tail, this.#links)
  }

  #rendered(block: Token, isDone = true): DocumentFragment {
    const content = sanitize(htmlOf(this.#open ? continued(block, this.#open) : block))
    finishBlock(content, { isDone })
    return content
  }

  /** Renders the finished part of a long list or table permanently, and then its end. */
  #keepPart(block: Token): boolean {
    const part = finishedPart(block)
    if (!part) return false
    const { type, token, length, prefix, isLoose } = part
    const content = this.#rendered(token)
    const element = this.#open?.element ?? placeOf(content, type)
    if (!element) return false
    const known = this.#open?.prefix.length ?? 0
    this.#append(content)
    this.#open = { type, element, prefix, isLoose: isLoose || (this.#open?.isLoose ?? false) }
    this.#start += length - known
    this.#render(false)
    return true
  }

  #append(content: DocumentFragment, isLast = false): void {
    const { element, type } = this.#open ?? {}
    const items = element && placeOf(content, type ?? 'list')
    const nodes = element ? [...(items?.children ?? [])] : [...content.childNodes]
    if (isLast) this.#last = nodes
    const place = element ?? this.#groupOf(nodes)
    place.append(...nodes)
  }

  #groupOf(blocks: readonly ChildNode[]): Element {
    const last = this.#host.lastElementChild
    if (last && last.childElementCount < blocksPerGroup) return last
    const group = document.createElement('div')
    if (blocks.length > 0) this.#host.append(group)
    return group
  }

  /** Code whose end has not come. */
  #growCode(open: string, firstLine: string, fence: string): void {
    const pre = document.createElement('pre')
    const code = document.createElement('code')
    const language = /[\w+#.-]{1,30}/.exec(firstLine.replace(fence, ''))?.[0]
    if (language) code.className = `language-${language}`
    pre.append(code)
    const holder = document.createDocumentFragment()
    holder.append(pre)
    frameCode(pre, false)
    const node = document.createTextNode(open.slice(firstLine.length))
    code.append(node)
    this.#append(holder, true)
    this.#growing = { node, shown: this.#text.length, fence }
  }

  #growText(open: string): void {
    const holder = textBlock(open)
    const node = holder.firstChild?.firstChild as Text // made above
    this.#append(holder, true)
    this.#growing = { node, shown: this.#text.length, fence: undefined }
  }

  /** @returns whether a growing block is open; otherwise the last block is rendered again */
  #grow(isDone: boolean): boolean {
    const growing = this.#growing
    if (!growing || (isDone && growing.fence)) return false
    const { node, shown, fence } = growing
    // The shown text may be the beginning of the end.
    const news = this.#text.slice(Math.max(this.#start, shown - 8))
    if (fence ? new RegExp(`\\n {0,3}${fence.slice(0, soughtFence)}`).test(news) : /\n\s*\n/.test(news)) {
      if (!fence) {
        // Text that was shown as such stays text.
        node.appendData(this.#text.slice(shown))
        this.#start = this.#text.length
        this.#last = []
        this.#growing = undefined
        return true
      }
      this.#restUntil = 0
      return false
    }
    node.appendData(this.#text.slice(shown))
    growing.shown = this.#text.length
    return true
  }
}

function isClosedCode(block: Token | undefined): boolean {
  const fence = block?.type === 'code' ? fenceStart.exec(block.raw)?.[1] : undefined
  if (!block || fence === undefined) return false
  const text = block.raw.trimEnd()
  const end = text.lastIndexOf('\n')
  return end >= 0 && text.slice(end + 1).replace(/^ {0,3}/, '') === fence
}

function textBlock(text: string): DocumentFragment {
  const paragraph = document.createElement('p')
  paragraph.className = 'long'
  paragraph.append(document.createTextNode(text))
  const holder = document.createDocumentFragment()
  holder.append(paragraph)
  return holder
}
