import { join } from 'node:path'
import { defineConfig } from 'vite'

const fileOf = (path: string): string => join(import.meta.dirname, path)

// `scripts/build-page.mjs` builds the page, and puts its files into `packages/server/assets`.
export default defineConfig({
  // The page may be served below any path.
  base: './',
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
