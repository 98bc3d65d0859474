import { globSync, readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

// The workspace's own packages resolve to their sources, so tests need no build: in tests, and in this file.
const conditions = ['@agentkit/source']
registerHooks({
  resolve(specifier, context, next) {
    const all = new Set([...context.conditions, ...conditions])
    // Older Nodes give `require` a Set, whatever their types say, and want one back.
    const given: unknown = context.conditions
    return next(specifier, { ...context, conditions: Array.isArray(given) ? [...all] : (all as never) })
  },
})
const { agentkitTools } = await import('@agentkit/functions/unplugin')

const include = ['*.test.ts', '{packages,apps,bench,docs,scripts}/**/*.test.ts']
const never = ['**/node_modules/**', '**/dist/**', '**/*.live.test.ts']
const ofModules = /\bvi\.(?:mock|doMock|hoisted|resetModules)\b/
/** Random runs allocate much that lives shortly. A young generation that begins larger is collected less often. */
const roomForNew = ['--min-semi-space-size=32', '--max-semi-space-size=64']
/** Tests whose modules Vite loads: of files that Node does not load, and those that replace modules. */
const byVite = [
  'apps/{playground,example}/**/*.test.ts', // JSX, and typed functions
  'offline-sentences.test.ts', // the example's typed functions
  'packages/functions/src/signatures.test.ts', // an enum
  ...globSync(include, { cwd: import.meta.dirname, exclude: ['**/node_modules', '**/dist'] }).filter((file) =>
    ofModules.test(readFileSync(join(import.meta.dirname, file), 'utf8')),
  ),
]

export default defineConfig({
  // The example's tools are plain functions.
  plugins: [agentkitTools.vite({ include: 'apps/example/src/*.ts', exclude: 'apps/example/src/*.test.ts' })],
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    projects: [
      { extends: true, test: { name: 'vite', include: byVite, exclude: never } },
      {
        extends: true,
        test: {
          name: 'node',
          include,
          exclude: [...never, ...byVite],
          // Node itself loads the sources. Vite's modules call a getter at each use of an imported name, which takes up
          // to half of the time of the tests of the loop.
          execArgv: [...conditions.map((condition) => `--conditions=${condition}`), ...roomForNew],
          experimental: { viteModuleRunner: false, nodeLoader: false },
        },
      },
    ],
    globalSetup: ['scripts/build-page.mjs'],
    // Processes and workers that a test starts resolve to sources too, and need not compile them each time.
    env: {
      NODE_OPTIONS: '--conditions=@agentkit/source',
      NODE_COMPILE_CACHE: join(import.meta.dirname, 'node_modules/.cache/node'),
    },
    // The files of a worker share its modules, which halves the time; what a file changes outside of itself, it undoes
    // (`workspace.test.ts`).
    isolate: false,
    // On two cores: much of the tests is waiting for processes. More of them make deadlines in tests late.
    maxWorkers: 3,
    // What hangs is ended by these; nothing that a busy machine delays.
    testTimeout: 120_000,
    hookTimeout: 240_000,
  },
})
