import { defineConfig } from 'vite'

// `scripts/build-page.mjs` builds the page, and puts its files into `packages/server/assets`.
export default defineConfig({
  // The page may be served below any path.
  base: './',
  resolve: { conditions: ['@agentkit/source', 'browser', 'module', 'import'] },
  build: {
    target: 'es2022',
    modulePreload: false,
    // A browser refuses styles and images in the text of a script.
    assetsInlineLimit: 0,
    cssCodeSplit: false,
    reportCompressedSize: false,
    // Nothing of them is left: only code that the page does not use imports them.
    rolldownOptions: {
      external: /^node:/,
      // Only libraries would write to it, and a reader sees no console.
      output: { minify: { compress: { dropConsole: true } } },
    },
  },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
})
