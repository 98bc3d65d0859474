import { afterEach, expect, it, vi } from 'vitest'
import { loopbackRegistry } from './loopback-registry.ts'

afterEach(() => vi.unstubAllEnvs())

it('reports the problem at once where the registry of npm cannot be read', async () => {
  vi.stubEnv('npm_config_registry', 'http://127.0.0.1:9/')
  const registry = await loopbackRegistry([])
  try {
    const answer = await fetch(`${registry.url}/zod`)
    expect([answer.status, await answer.json()]).toEqual([
      424,
      { error: expect.stringMatching(/^The registry http:\/\/127\.0\.0\.1:9 cannot be read: .*NODE_EXTRA_CA_CERTS/) },
    ])
  } finally {
    registry.close()
  }
})
