import { defineConfig } from 'vitest/config'

// The workspace's own packages resolve to their sources, so tests need no build.
const conditions = ['@agentkit/source']

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ['*.test.ts', '{packages,apps,bench,scripts}/**/*.test.ts'],
    exclude: ['**/node_modules/**', '**/dist/**', '**/*.live.test.ts'],
    // Processes that a test starts resolve to sources too.
    env: { NODE_OPTIONS: '--conditions=@agentkit/source' },
    // Two at once keeps small CI machines (and deadlines in tests) honest.
    maxWorkers: 2,
    testTimeout: 20_000,
    hookTimeout: 60_000,
  },
})
