import { defineConfig } from 'vitest/config'

export default defineConfig({
  // The workspace's own packages resolve to their sources, so tests need no build.
  resolve: { conditions: ['@agentkit/source'] },
  ssr: { resolve: { conditions: ['@agentkit/source'] } },
  test: {
    include: ['*.test.ts', '{packages,apps,bench}/**/*.test.ts'],
    exclude: ['**/node_modules/**', '**/dist/**', '**/*.live.test.ts'],
    env: { NODE_OPTIONS: '--conditions=@agentkit/source' },
    testTimeout: 20_000,
  },
})
