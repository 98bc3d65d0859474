import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent } from '@agentkit/core'
import { openai } from '@agentkit/providers-openai'
import { type AgentServer, type ServerOptions, serve } from '@agentkit/server'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { chat, checkApp, token } from './__fixtures__/check-app.ts'
import { type ModelServer, startModelServer } from './__fixtures__/model-server.ts'
import { freePort, isInstalled, start } from './__fixtures__/processes.ts'

const nginx = ['nginx', '/usr/sbin/nginx'].find((command) => isInstalled(command, '-v'))
if (!nginx) console.log('nginx is not installed: the tests of a server behind it are not run.')

const host = 'agent.example.com'
const auth = { tokens: { [token]: '*' } }

describe.runIf(nginx)('a server behind nginx', () => {
  let model: ModelServer
  beforeAll(async () => {
    model = await startModelServer()
  })
  afterAll(() => model.close())

  let folder: string
  let ends: (() => Promise<unknown>)[] = []
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'agentkit-nginx-'))
    await chmod(folder, 0o755) // nginx' workers are another user
  })
  afterEach(async () => {
    for (const end of ends) await end()
    ends = []
    await rm(folder, { recursive: true, force: true })
  })

  async function startServer(options: ServerOptions, port = 0): Promise<AgentServer> {
    const provider = openai({ apiKey: 'test-key', baseURL: model.baseURL })
    const agent = new Agent({ name: 'Clerk', functions: [], model: provider.model('m') })
    const server = await serve(agent, { port, log: () => {}, ...options })
    ends.push(() => server.close())
    return server
  }

  /** Starts nginx with this configuration, and returns its port. */
  async function startNginx(configure: (port: number) => string): Promise<number> {
    const port = await freePort()
    await writeFile(join(folder, 'nginx.conf'), nginxConf(configure(port)))
    await mkdir(join(folder, 'bodies'))
    const url = `http://127.0.0.1:${port}/health`
    ends.unshift(await start({ command: nginx ?? '', args: ['-p', folder, '-c', 'nginx.conf'], cwd: folder, url }))
    return port
  }

  /** Serves an agent, starts nginx with this configuration in front of it, and returns nginx' port. */
  async function startBoth(options: ServerOptions, configure: (port: number, server: number) => string) {
    const server = await startServer(options)
    return await startNginx((port) => configure(port, portOf(server)))
  }

  const behindProxy = { auth, allowedHosts: [host], trustedProxies: ['127.0.0.1'] }
  const behindFull = (options: ServerOptions = {}) => startBoth({ ...behindProxy, ...options }, fullConfiguration)

  it('answers, streams, and ends the run of a client that leaves', async () => {
    const port = await behindFull()
    await checkApp((path, init) => fetch(`http://127.0.0.1:${port}${path}`, init), model)
  })

  it('receives a body while it arrives, and nginx writes none to its disk', async () => {
    const port = await behindFull({ limits: { stalledMs: 300 } })
    const socket = connect(port, '127.0.0.1')
    await once(socket, 'connect')
    const headers = [
      'POST /api/v1/chat HTTP/1.1',
      `Host: ${host}`,
      `Authorization: Bearer ${token}`,
      'Content-Type: multipart/form-data; boundary=half',
      'Content-Length: 2000000',
    ]
    const field = '--half\r\nContent-Disposition: form-data; name="note"\r\n\r\n'
    socket.write(`${headers.join('\r\n')}\r\n\r\n${field}${'x'.repeat(500_000)}`)
    const [answer] = await once(socket.setEncoding('utf8'), 'data')
    socket.destroy()
    // The server's own answer to a body that stalls.
    expect(answer).toContain('"code":"request-timeout"')
    expect(await readdir(join(folder, 'bodies'))).toEqual([])
  })

  it('without auth refuses requests that a proxy passes on', async () => {
    const port = await startBoth({}, (listen, server) => {
      return `server { listen 127.0.0.1:${listen}; location / { proxy_pass http://127.0.0.1:${server}; } }`
    })
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1/chat`, chat('Hello'))
    expect(answer.status).toBe(403)
    expect(await answer.json()).toMatchObject({ code: 'proxy-not-configured' })
  })

  it('answers while each of two servers restarts', async () => {
    const first = await startServer(behindProxy)
    const second = await startServer(behindProxy)
    const upstream = readFileSync(join(import.meta.dirname, 'two-processes.conf'), 'utf8')
      .replace('127.0.0.1:8000', `127.0.0.1:${portOf(first)}`)
      .replace('127.0.0.1:8001', `127.0.0.1:${portOf(second)}`)
    const listen = await startNginx((port) =>
      fullConfiguration(port, portOf(first)).replace(/upstream [^}]*}\n/, () => upstream),
    )
    const headers = { authorization: `Bearer ${token}` }
    const statuses = async () => {
      const found: number[] = []
      for (let question = 0; question < 4; question++) {
        const answer = await fetch(`http://127.0.0.1:${listen}/api/v1/chat`, chat('Hello', headers))
        await answer.text()
        found.push(answer.status)
      }
      return found
    }
    await first.close()
    expect(await statuses()).toEqual([200, 200, 200, 200])
    await startServer(behindProxy, portOf(first))
    await second.close()
    expect(await statuses()).toEqual([200, 200, 200, 200])
  })

  it('with auth answers also behind nothing but `proxy_pass`', async () => {
    const port = await startBoth({ auth }, (listen, server) => {
      return `server { listen 127.0.0.1:${listen}; location / { proxy_pass http://127.0.0.1:${server}; } }`
    })
    const authorization = `Bearer ${token}`
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1/chat`, chat('Hello', { authorization }))
    expect(await answer.text()).toBe('Hello, Ada.')
  })

  function portOf(server: AgentServer): number {
    return Number(new URL(server.url).port)
  }

  /** The configuration of the guide, on other ports and without TLS. */
  function fullConfiguration(listen: number, server: number): string {
    return readFileSync(join(import.meta.dirname, 'nginx.conf'), 'utf8')
      .replace('listen 443 ssl;', `listen 127.0.0.1:${listen};`)
      .replaceAll(/^ *ssl_certificate.*\n/gm, '')
      .replace('127.0.0.1:8000', `127.0.0.1:${server}`)
      .replaceAll('$host', host)
  }

  function nginxConf(servers: string): string {
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    const paths = temporary.map((kind) => `${kind}_temp_path ${kind === 'client_body' ? 'bodies' : kind};`)
    return `daemon off; pid nginx.pid; error_log stderr; events {} http { access_log off; ${paths.join(' ')}\n${servers} }\n`
  }
})
