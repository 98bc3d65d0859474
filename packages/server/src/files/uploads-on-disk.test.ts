import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import fs from 'node:fs/promises'
import type { ClientRequest, IncomingMessage } from 'node:http'
import { request as httpRequest } from 'node:http'
import { syncBuiltinESMExports } from 'node:module'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it } from 'vitest'
import { fakeAgent } from '../__fixtures__/fake-agent.ts'
import { folderKnowledge } from '../__fixtures__/folder-knowledge.ts'
import { boundary, expectHealthy, multipart, until } from '../__fixtures__/requests.ts'
import { testFolder } from '../__fixtures__/test-folder.ts'
import { createApp } from '../create-app.ts'
import type { AgentServer } from '../listen.ts'
import type { ServerOptions } from '../options.ts'
import { serve } from '../serve.ts'

const folder = testFolder()
const script = fileURLToPath(new URL('../__fixtures__/file-server.ts', import.meta.url))
const children: ChildProcess[] = []
const servers: AgentServer[] = []
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  for (const server of servers.splice(0)) await server.close()
})

async function startHere(options: ServerOptions = {}): Promise<string> {
  const agent = { ...fakeAgent(), knowledge: folderKnowledge(folder.path) }
  const server = await serve(agent, { port: 0, log: () => {}, ...options })
  servers.push(server)
  return server.url
}

/** @param prefix commands of a shell that run before */
async function startProcess(prefix = ''): Promise<{ child: ChildProcess; url: string; line(): Promise<string> }> {
  const command = `${prefix} exec "$0" --conditions=@agentkit/source "$1" "$2"`
  const child = spawn('sh', ['-c', command, process.execPath, script, folder.path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.push(child)
  const line = async (): Promise<string> => String((await once(child.stdout, 'data'))[0]).trim()
  return { child, url: await line(), line }
}

const head = `--${boundary}\r\nContent-Disposition: form-data; name="files"; filename="a.md"\r\n\r\n`
const tail = `\r\n--${boundary}--\r\n`

/** An upload whose client decides when it sends what. */
function beginUpload(url: string, headers: Record<string, string | number> = {}): ClientRequest {
  const request = httpRequest(`${url}/api/v1/uploadfiles/`, {
    method: 'POST',
    headers: { 'content-type': multipart, ...headers },
  })
  request.on('error', () => {})
  return request
}

async function answerOf(
  request: ClientRequest,
): Promise<{ status: number; connection: string | undefined; code: unknown }> {
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  const body = JSON.parse(await text(response)) as { code?: unknown }
  return { status: response.statusCode ?? 0, connection: response.headers.connection, code: body.code }
}

const names = (): string[] => readdirSync(folder.path)
const temporary = (): string[] => names().filter((name) => name.startsWith('.agentkit-upload-'))
const hasBytes = (): boolean => temporary().some((name) => statSync(`${folder.path}/${name}`).size > 0)

describe('an upload on the disk', () => {
  it('is under a temporary name until it is complete, readable by its owner only', async () => {
    const url = await startHere()
    const upload = beginUpload(url)
    upload.write(head + 'x'.repeat(200_000))
    await until(hasBytes)
    expect(names()).toEqual(temporary())
    expect(statSync(`${folder.path}/${temporary()[0]}`).mode & 0o777).toBe(0o600)
    upload.end(tail)
    expect(await answerOf(upload)).toMatchObject({ status: 200 })
    expect(names()).toEqual(['a.md'])
  })

  it('is removed when its client leaves', async () => {
    const url = await startHere()
    const upload = beginUpload(url)
    upload.write(head + 'x'.repeat(200_000))
    await until(hasBytes)
    upload.destroy()
    await until(() => names().length === 0)
    await expectHealthy(url)
  })

  it('44 is removed when its client stops sending, with 408', async () => {
    const url = await startHere({ limits: { stalledMs: 500 } })
    const upload = beginUpload(url)
    upload.write(head + 'x'.repeat(200_000))
    expect(await answerOf(upload)).toEqual({ status: 408, connection: 'close', code: 'request-timeout' })
    expect(names()).toEqual([])
  })

  it('14 is refused by its Content-Length before it is read', async () => {
    const url = await startHere()
    const upload = beginUpload(url, { 'content-length': 500_000_001 })
    upload.flushHeaders()
    expect(await answerOf(upload)).toEqual({ status: 413, connection: 'close', code: 'payload-too-large' })
    expect(names()).toEqual([])
  })

  it('15 is refused in the middle when its file is too large, and its connection closed', async () => {
    const url = await startHere({ limits: { fileBytes: 100_000 } })
    const upload = beginUpload(url)
    upload.write(head + 'x'.repeat(150_000))
    expect(await answerOf(upload)).toEqual({ status: 413, connection: 'close', code: 'payload-too-large' })
    expect(names()).toEqual([])
  })

  it('that a killed process has not finished is removed at the next start, and nothing else', async () => {
    const { child, url } = await startProcess()
    const upload = beginUpload(url)
    upload.write(head + 'x'.repeat(200_000))
    await until(hasBytes)
    child.kill('SIGKILL')
    await once(child, 'exit')
    expect(temporary()).toHaveLength(1)
    const others = ['.agentkit-upload-mine', '.hidden', 'b.md']
    for (const name of others) writeFileSync(`${folder.path}/${name}`, 'x')
    // Another process is receiving this one.
    const other = (await startProcess()).url
    const running = beginUpload(other)
    running.write(head + 'x'.repeat(200_000))
    await until(() => temporary().filter((name) => name !== '.agentkit-upload-mine').length === 1 && hasBytes())
    createApp({ ...fakeAgent(), knowledge: folderKnowledge(folder.path) })
    running.end(tail)
    expect(await answerOf(running)).toMatchObject({ status: 200 })
    await until(() => names().length === others.length + 1)
    expect(names().sort()).toEqual([...others, 'a.md'].sort())
  })

  it.skipIf(process.platform === 'win32')(
    '17 without room on the disk is 507, and leaves nothing; a smaller one is stored',
    async () => {
      // The largest file of the process has at most 200 KB. Node is to get an error instead of a signal.
      const { url } = await startProcess(`trap '' XFSZ; ulimit -f 200;`)
      const upload = beginUpload(url)
      upload.end(head + 'x'.repeat(2_000_000) + tail)
      expect(await answerOf(upload)).toMatchObject({ status: 507, code: 'insufficient-storage' })
      expect(names()).toEqual([])
      const smaller = beginUpload(url)
      smaller.end(`${head}x${tail}`)
      expect(await answerOf(smaller)).toMatchObject({ status: 200 })
      await expectHealthy(url)
    },
  )

  it.skipIf(process.platform === 'win32')('of 150 MB takes much less memory', async () => {
    const { child, url, line } = await startProcess()
    const peak = async (): Promise<number> => {
      const printed = line()
      child.kill('SIGUSR2')
      return Number(await printed)
    }
    const send = async (bytes: number): Promise<void> => {
      const upload = beginUpload(url)
      const chunk = Buffer.alloc(1_000_000, 'x')
      upload.write(head)
      for (let sent = 0; sent < bytes; sent += chunk.length) if (!upload.write(chunk)) await once(upload, 'drain')
      upload.end(tail)
      expect(await answerOf(upload)).toMatchObject({ status: 200 })
    }
    await send(1_000_000)
    const before = await peak()
    await send(150_000_000)
    // Some 50 MB, whatever the size of the file: what the garbage collector leaves for a while.
    expect((await peak()) - before).toBeLessThan(100_000_000)
  })

  it('into a folder that is missing creates it', async () => {
    const missing = `${folder.path}/new/folder`
    const agent = { ...fakeAgent(), knowledge: folderKnowledge(missing) }
    const body = new FormData()
    body.append('files', new File(['x'], 'a.md'))
    expect((await createApp(agent).request('/api/v1/uploadfiles', { method: 'POST', body })).status).toBe(200)
    expect(readdirSync(missing)).toEqual(['a.md'])
  })

  it('that is refused leaves the file that had its name, also on a disk without links', async () => {
    const agent = { ...fakeAgent(), knowledge: folderKnowledge(folder.path) }
    writeFileSync(`${folder.path}/a.md`, 'It is fine.')
    const body = new FormData()
    body.append('files', new File(['BROKEN'], 'a.md'))
    const { link } = fs
    fs.link = async () => Promise.reject(Object.assign(new Error('not permitted'), { code: 'EPERM' }))
    syncBuiltinESMExports()
    try {
      const response = await createApp(agent).request('/api/v1/uploadfiles', { method: 'POST', body })
      expect(response.status).toBe(422)
    } finally {
      fs.link = link
      syncBuiltinESMExports()
    }
    expect(readFileSync(`${folder.path}/a.md`, 'utf8')).toBe('It is fine.')
    expect(names()).toEqual(['a.md'])
  })

  it('into a folder that is a file is 503, without its path', async () => {
    mkdirSync(`${folder.path}/x`)
    writeFileSync(`${folder.path}/x/file`, '')
    const agent = { ...fakeAgent(), knowledge: folderKnowledge(`${folder.path}/x/file`) }
    const body = new FormData()
    body.append('files', new File(['x'], 'a.md'))
    const response = await createApp(agent, { log: () => {} }).request('/api/v1/uploadfiles', { method: 'POST', body })
    expect(response.status).toBe(503)
    expect(await response.text()).not.toContain(folder.path)
  })
})
