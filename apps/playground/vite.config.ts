import { join } from 'node:path'
import { defineConfig, type Plugin } from 'vite'
import { de } from './src/text/de.ts'
import { en } from './src/text/en.ts'

const fileOf = (path: string): string => join(import.meta.dirname, path)

/** Bundles the German texts without their keys, which the English ones have: 400 bytes less. */
const textsOnly: Plugin = {
  name: 'texts-only',
  load(id) {
    if (!id.endsWith('/src/text/de.ts')) return undefined
    const texts = Object.keys(en).map((key) => de[key as keyof typeof en]) // a key of the object above
    return `import { en } from './en.ts'
const texts = ${JSON.stringify(texts.join('\n'))}.split('\\n')
export const de = Object.fromEntries(Object.keys(en).map((key, at) => [key, texts[at]]))`
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
