import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitepress'
import { accessibleTheme, plainEmptyHeadings } from './accessible.ts'
import { sidebar, slugOf } from './pages.ts'

// The browser itself refuses every other host. VitePress has inline scripts, and Shiki inline styles.
const policy =
  "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:"

export default defineConfig({
  title: 'agentkit',
  description: 'Create, serve and scale LLM agents in TypeScript.',
  base: process.env.DOCS_BASE ?? '/',
  srcExclude: ['examples/**', '**/node_modules/**'],
  head: [
    ['meta', { 'http-equiv': 'Content-Security-Policy', content: policy }],
    ['link', { rel: 'icon', href: 'data:,' }],
  ],
  // Pages are plain Markdown: `<name>` in a sentence is text.
  markdown: {
    html: false,
    anchor: { slugify: slugOf },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    config: plainEmptyHeadings,
  },
  // The index of the search, which is loaded by the first search.
  vite: { build: { chunkSizeWarningLimit: 4000 }, plugins: [accessibleTheme] },
  themeConfig: {
    search: { provider: 'local' },
    notFound: { linkLabel: 'Take me home' },
    sidebar: sidebar(fileURLToPath(new URL('..', import.meta.url))),
    outline: [2, 3],
  },
})
