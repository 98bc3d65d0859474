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

/** Components of VitePress 1.6.4, and what is changed in each. */
const edits: Readonly<Record<string, readonly [RegExp, string][]>> = {
  // A group of the sidebar is a button, and so is the arrow in it: the arrow is decoration then.
  '/VPSidebarItem.vue': [[/class="caret"[^>]*>/, 'class="caret" aria-hidden="true">']],
  // The page that is not found has a main part as the others have.
  '/NotFound.vue': [
    [/<div class="NotFound">/, '<main class="NotFound">'],
    [/<\/div>\s*<\/template>/, '</main>\n</template>'],
  ],
}

/** Changes the components that axe finds a violation in. */
export const accessibleTheme: {
  name: string
  enforce: 'pre'
  transform(code: string, id: string): string | undefined
} = {
  name: 'accessible-theme',
  enforce: 'pre',
  transform(code, id) {
    const changes = Object.entries(edits).find(([file]) => id.endsWith(file))?.[1]
    return changes?.reduce((text, [pattern, replacement]) => {
      if (!pattern.test(text)) throw new Error(`${id} of VitePress has changed: see accessible.ts.`)
      return text.replace(pattern, replacement)
    }, code)
  },
}
