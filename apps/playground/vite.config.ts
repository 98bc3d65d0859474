import { join } from 'node:path'
import { defineConfig, type Plugin } from 'vite'
import { de } from './src/text/de.ts'
import { en } from './src/text/en.ts'

const fileOf = (path: string): string => join(import.meta.dirname, path)

const languages = { en, de }
const keys = Object.keys(en) as (keyof typeof en)[] // keys of the object above
const listOf = (lines: readonly string[]): string => `${JSON.stringify(lines.join('\n'))}.split('\\n')`

/** Bundles the keys of the texts once, and the texts of each language without them. */
const textsOnly: Plugin = {
  name: 'texts-only',
  load(id) {
    const [, name] = /\/src\/text\/(en|de)\.ts$/.exec(id) ?? []
    if (name === undefined) return undefined
    const texts = languages[name as keyof typeof languages] // by the pattern above
    return `${name === 'en' ? `export const keys = ${listOf(keys)}` : `import { keys } from './en.ts'`}
const texts = ${listOf(keys.map((key) => texts[key]))}
export const ${name} = Object.fromEntries(keys.map((key, at) => [key, texts[at]]))`
  },
}

// `scripts/build-page.mjs` builds the page, and puts its files into `packages/server/assets`.
export default defineConfig({
  // The page may be served below any path.
  base: './',
  plugins: [textsOnly],
  resolve: {
    // The page uses one function of these packages. An import of another one fails the build.
    alias: {
      '@agentkit/testing': fileOf('../../packages/testing/src/cassette/parse-cassette.ts'),
      '@agentkit/core': fileOf('src/debug/agentkit-error.ts'),
    },
  },
  build: {
    target: 'es2022',
    modulePreload: false,
    // A browser refuses styles and images in the text of a script.
    assetsInlineLimit: 0,
    cssCodeSplit: false,
    reportCompressedSize: false,
    // Only libraries would write to it, and a reader sees no console.
    rolldownOptions: { output: { minify: { compress: { dropConsole: true } } } },
  },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
})
