import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { checkApp, type Send, token } from './__fixtures__/check-app.ts'
import { type ModelServer, startModelServer } from './__fixtures__/model-server.ts'
import { freePort, isInstalled, start } from './__fixtures__/processes.ts'

let model: ModelServer
beforeAll(async () => {
  model = await startModelServer()
})
afterAll(() => model.close())

beforeEach(() => {
  vi.resetModules()
  for (const [name, value] of Object.entries(environment())) vi.stubEnv(name, value)
})
afterEach(() => void vi.unstubAllEnvs())

describe.each([
  ['Hono', () => import('./hono.ts')],
  ['Express', () => import('./express.ts')],
])('an agent in an app of %s', (_framework, load) => {
  it('answers, streams, and ends the run of a client that leaves', async () => {
    const { server } = await load()
    try {
      if (!server.listening) await once(server, 'listening')
      const url = urlOf(server as Server) // Hono's adapter could also serve HTTP/2
      expect(await (await fetch(url)).text()).toBe('The shop')
      await checkApp((path, init) => fetch(`${url}/agent${path}`, init), model)
    } finally {
      server.close()
    }
  })
})

describe('an agent in a route handler of Next', () => {
  it('answers, streams, and ends the run of a client that leaves', async () => {
    const route = await import('./next-route.ts')
    // Next calls the export that is named for the method, with a Request of the public URL.
    const send: Send = async (path, init) => {
      const method = init?.method === 'POST' ? route.POST : route.GET
      return method(asNext(new Request(`http://127.0.0.1:3000/agent${path}`, init)))
    }
    await checkApp(send, model)
    expect(await (await send('/health')).json()).toEqual({ status: 'healthy' })
  })

  it('exports its handlers only: with `cacheComponents`, which new apps have, Next refuses a configuration', async () => {
    const names = Object.keys(await import('./next-route.ts'))
    expect(names).toEqual(['DELETE', 'GET', 'OPTIONS', 'PATCH', 'POST', 'PUT'])
  })

  it('compresses nothing, as Next removes the header of compressed answers', async () => {
    const { GET } = await import('./next-route.ts')
    const headers = { 'accept-encoding': 'gzip' }
    const response = await GET(asNext(new Request('http://127.0.0.1:3000/agent/', { headers })))
    expect([response.status, response.headers.get('content-encoding')]).toEqual([200, null])
  })
})

/** The proxy that Next passes to a route handler, to learn what it reads. */
function asNext(request: Request): Request {
  return new Proxy(request, { get: (target, name) => Reflect.get(target, name, target) })
}

describe.each([
  ['Bun', () => import('./bun.ts')],
  ['Deno', () => import('./deno.ts')],
])('an agent as the default export that %s serves', (_runtime, load) => {
  it('answers, streams, and ends the run of a client that leaves', async () => {
    const { default: exported } = await load()
    await checkApp(async (path, init) => exported.fetch(new Request(`http://127.0.0.1:8000${path}`, init)), model)
  })
})

const condition = '--conditions=@agentkit/source'

// These two are no packages of this repository: together they are larger than everything that it installs.
for (const name of ['bun', 'deno']) {
  if (!isInstalled(name)) console.log(`${name} is not installed: its own process is not tried.`)
}

describe.runIf(isInstalled('bun'))('Bun', () => {
  it('serves the agent', () => serveBy('bun', [condition, 'bun.ts']))
})
describe.runIf(isInstalled('deno'))('Deno', () => {
  const permissions = ['--allow-env', '--allow-net', '--allow-read', '--allow-sys']
  it('serves the agent', async () => {
    const port = await freePort()
    await serveBy('deno', ['serve', condition, ...permissions, '--host=127.0.0.1', `--port=${port}`, 'deno.ts'], port)
  })
})

async function serveBy(command: string, args: string[], port?: number): Promise<void> {
  const PORT = port ?? (await freePort())
  const env = { ...environment(), PORT: String(PORT), NODE_OPTIONS: '' }
  const url = `http://127.0.0.1:${PORT}`
  const stop = await start({ command, args, env, cwd: import.meta.dirname, url: `${url}/health` })
  try {
    await checkApp((path, init) => fetch(`${url}${path}`, init), model)
  } finally {
    await stop()
  }
}

function urlOf(server: Server): string {
  const { port } = server.address() as AddressInfo // of TCP
  return `http://127.0.0.1:${port}`
}

function environment(): Record<string, string> {
  const keys = { OPENAI_API_KEY: 'test-key', OPENAI_BASE_URL: model.baseURL }
  return { ...keys, AGENT_TOKEN: token, AGENT_SESSIONS: ':memory:', PORT: '0' }
}
