import { join } from 'node:path'
import type { Metafile } from 'esbuild'
import { Miniflare } from 'miniflare'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bundleWorker } from './__fixtures__/bundle-worker.ts'
import { checkApp, token } from './__fixtures__/check-app.ts'
import { type ModelServer, startModelServer } from './__fixtures__/model-server.ts'

const { code, metafile } = await bundleWorker(join(import.meta.dirname, 'worker.ts'))

describe('an agent in a Worker', () => {
  let model: ModelServer
  let worker: Miniflare
  beforeAll(async () => {
    model = await startModelServer()
    worker = new Miniflare({
      modules: [{ type: 'ESModule', path: 'worker.js', contents: code }],
      compatibilityDate: '2026-07-01',
      compatibilityFlags: ['nodejs_compat', 'enable_request_signal'],
      bindings: { AGENT_TOKEN: token, OPENAI_API_KEY: 'test-key', OPENAI_BASE_URL: model.baseURL },
    })
  })
  afterAll(async () => {
    await worker.dispose()
    model.close()
  })

  it('answers, streams, and ends the run of a client that leaves', async () => {
    const url = await worker.ready
    await checkApp((path, init) => fetch(new URL(path, url), init), model)
  })

  it('sends its page, which workerd compresses itself', async () => {
    const page = await fetch(await worker.ready, { headers: { 'accept-encoding': 'gzip' } })
    expect(page.headers.get('content-type')).toContain('text/html')
    expect(await page.text()).toMatch(/^<!doctype html>/i)
  })
})

describe('the modules that `createApp` and a provider import', () => {
  // `nodejs_compat` has these. A server, a child process, a file or SQLite is imported by what needs it, when it needs it.
  it('of Node are the ones that every runtime has', () => {
    expect(importedNodeModules(metafile)).toEqual([
      'node:async_hooks',
      'node:buffer',
      'node:crypto',
      'node:net',
      'node:stream',
      'node:timers/promises',
    ])
  })
})

/** Those that are loaded with the Worker: not by `import()`. */
function importedNodeModules({ inputs }: Metafile): string[] {
  const found = new Set<string>()
  const seen = new Set<string>()
  const visit = (path: string): void => {
    if (seen.has(path)) return
    seen.add(path)
    for (const { path: target, kind, external } of inputs[path]?.imports ?? []) {
      if (kind === 'dynamic-import') continue
      if (external && target.startsWith('node:')) found.add(target)
      else visit(target)
    }
  }
  const entry = Object.keys(inputs).find((path) => path.endsWith('deploy/worker.ts'))
  visit(entry ?? '')
  return [...found].sort()
}
