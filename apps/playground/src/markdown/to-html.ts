import { Marked, type Token, type Tokens, type TokensList } from 'marked'
import { t } from '../text/t.ts'

/** The largest image that is shown, in characters of base64. */
const maxImage = 3_000_000

const marked = new Marked({
  gfm: true,
  breaks: true,
  renderer: {
    // HTML in an answer is shown as text.
    html: ({ text, block }) => (block ? `<p class="long">${escapeHTML(text.trim())}</p>` : escapeHTML(text)),
    // Real heading levels would have to fit the levels of the page.
    heading({ tokens, depth }) {
      return `<h3 class="h${depth}">${this.parser.parseInline(tokens)}</h3>`
    },
    checkbox: ({ checked }) => (checked ? '☑ ' : '☐ '),
    link({ href, tokens }) {
      const text = this.parser.parseInline(tokens)
      const address = safeAddress(href)
      return address === undefined ? `<span>${text}</span>` : `<a href="${escapeHTML(address)}">${text}</a>`
    },
    image({ href, text }) {
      if (isImage(href)) return `<img src="${escapeHTML(href)}" alt="${escapeHTML(text)}">`
      const name = escapeHTML(text || t('chat.image'))
      const address = safeAddress(href)
      return address === undefined ? `<span>${name}</span>` : `<a href="${escapeHTML(address)}">${name}</a>`
    },
    code({ text, lang = '' }) {
      const name = /^[\w+#.-]{1,30}/.exec(lang)?.[0] ?? ''
      return `<pre><code${name && ` class="language-${escapeHTML(name)}"`}>${escapeHTML(text)}\n</code></pre>`
    },
  },
})

export type Links = TokensList['links']

/**
 * The blocks of a Markdown text. `links` has the link definitions of the text before it, and receives the definitions
 * of this text.
 */
export function blocksOf(text: string, links: Links): Token[] {
  const lexer = new marked.Lexer(marked.defaults)
  lexer.tokens.links = links
  try {
    return lexer.lex(text)
  } catch {
    return [plainBlock(text)]
  }
}

/** The HTML of a block. It is not safe yet. */
export function htmlOf(block: Token): string {
  try {
    return marked.parser([block] as Tokens.Generic[])
  } catch {
    return htmlOf(plainBlock(block.raw))
  }
}

/** A text that is nested deeper than a parser can follow is shown as it is, as HTML is. */
function plainBlock(text: string): Token {
  return { type: 'html', raw: text, text, block: true } as Tokens.HTML
}

export function escapeHTML(text: string): string {
  return text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`)
}

/** Only addresses that lead to a page or a mailbox. */
function safeAddress(href: string): string | undefined {
  const plain = href.trim()
  if (plain.length > 2_000 || !/^(https?:\/\/|mailto:)/i.test(plain) || !URL.canParse(plain)) return undefined
  return new URL(plain).href
}

/** An image that is part of the answer. Others would be requested from elsewhere. */
function isImage(href: string): boolean {
  const data = /^data:image\/(?:png|jpeg|gif|webp);base64,([A-Za-z0-9+/]+={0,2})$/.exec(href)?.[1]
  return data !== undefined && data.length % 4 === 0 && data.length <= maxImage
}
