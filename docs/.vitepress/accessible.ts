import type { MarkdownRenderer } from 'vitepress'

/** Cells above a first column without a heading are no headings. */
export function plainEmptyHeadings(markdown: MarkdownRenderer): void {
  markdown.core.ruler.push('plain-empty-headings', ({ tokens }) => {
    for (const [index, token] of tokens.entries()) {
      if (token.type !== 'th_open' || tokens[index + 1]?.content.trim() !== '') continue
      token.tag = 'td'
      const end = tokens[index + 2]
      if (end) end.tag = 'td'
    }
  })
}

/** In the sidebar of VitePress 1.6.4 a group is a button, and so is the arrow in it: the arrow is decoration then. */
export const plainArrows: { name: string; enforce: 'pre'; transform(code: string, id: string): string | undefined } = {
  name: 'plain-arrows',
  enforce: 'pre',
  transform(code, id) {
    if (!id.endsWith('/VPSidebarItem.vue')) return undefined
    const changed = code.replace(/class="caret"[^>]*>/, 'class="caret" aria-hidden="true">')
    if (changed === code) throw new Error('VPSidebarItem.vue of VitePress has changed: see accessible.ts.')
    return changed
  },
}
