import { Lexer, Marked, type Token, type Tokens, type TokensList } from 'marked'
import { t } from '../text/t.ts'

/** The most cells of a table that its text leaves out. */
const maxAbsent = 500

const marked = new Marked({
  gfm: true,
  breaks: true,
  tokenizer: {
    // The parser adds the cells that rows leave out: without a bound, a short text has millions.
    table(src) {
      const [table = '', head = ''] = /^(.+)\n[ |:-]+(?:\n.+)*/.exec(src) ?? []
      // The parser reads a table where the answer is false.
      return head.split('|').length * table.split('\n').length > table.length + maxAbsent && undefined
    },
  },
  renderer: {
    // HTML in an answer is shown as text.
    html: ({ text, block }) => (block ? `<p class="long">${escapeHTML(text.trim())}</p>` : escapeHTML(text)),
    // Real heading levels would have to fit the levels of the page.
    heading({ tokens, depth }) {
      return `<h3 class="h${depth}">${this.parser.parseInline(tokens)}</h3>`
    },
    checkbox: ({ checked }) => (checked ? '☑ ' : '☐ '),
    link({ href, tokens }) {
      return linked(href, this.parser.parseInline(tokens))
    },
    image({ href, text }) {
      if (isImage(href)) return `<img src="${escapeHTML(href)}" alt="${escapeHTML(text)}">`
      return linked(href, escapeHTML(text || t('chat.image')))
    },
    code({ text, lang = '' }) {
      const name = /^[\w+#.-]{1,30}/.exec(lang)?.[0] ?? ''
      return `<pre><code${name && ` class="language-${name}"`}>${escapeHTML(text)}\n</code></pre>`
    },
  },
})

export type Links = TokensList['links']

/** Reads a long paragraph in pieces: the parser would take quadratic time. */
class PieceLexer extends Lexer {
  override inlineTokens(src: string, tokens: Token[] = []): Token[] {
    for (const piece of piecesOf(src)) super.inlineTokens(piece, tokens)
    return tokens
  }
}

/** Pieces of at most 3,000 characters that end with a line or a word where possible. An image is a piece of its own. */
function piecesOf(text: string): string[] {
  if (text.length <= 3_000) return [text]
  return text
    .split(/(!\[[^\]]{0,300}\]\(data:[^)\s]+\))/)
    .flatMap((part, index) => (index % 2 ? part : (part.match(/.{1,3000}(?:$|\n)|.{1,3000}\s|.{3000}/gs) ?? [])))
}

/**
 * The blocks of a Markdown text. `links` has the link definitions of the text before it, and receives the definitions
 * of this text.
 */
export function blocksOf(text: string, links: Links): Token[] {
  const lexer = new PieceLexer(marked.defaults)
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

/** A link, of addresses only that lead to a page or a mailbox. */
function linked(href: string, html: string): string {
  const plain = href.trim()
  const isSafe = plain.length <= 2_000 && /^(https?:\/\/|mailto:)/i.test(plain) && URL.canParse(plain)
  return isSafe ? `<a href="${escapeHTML(new URL(plain).href)}">${html}</a>` : `<span>${html}</span>`
}

/** An image that is part of the answer. Others would be requested from elsewhere. */
function isImage(href: string): boolean {
  return /^data:image\/(?:png|jpeg|gif|webp);base64,(?=(?:.{4})+$)[A-Za-z0-9+/]+={0,2}$/.test(href)
}
