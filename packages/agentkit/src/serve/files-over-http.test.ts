import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type JSONValue, memorySessions } from '@agentkit/core'
import type { AgentServer, ServerOptions } from '@agentkit/server'
import { type ScriptedTurn, scriptedModel } from '@agentkit/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { useFolder } from '../__fixtures__/use-folder.ts'
import { Agent } from '../agents/agent.ts'

const folder = useFolder()
const canary = 'canary-7f3a'
/** Long enough for a machine that is ten times slower. */
const patient = { timeout: 60_000 }
let closers: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

async function serveFiles(turns: readonly ScriptedTurn[] = [], options: ServerOptions = {}) {
  const lines: string[] = []
  vi.spyOn(console, 'log').mockImplementation((line: string) => void lines.push(line))
  const model = scriptedModel(turns)
  const files = folder.path('files')
  const agent = new Agent({
    name: 'Library',
    functions: [],
    model,
    sessions: memorySessions(),
    retriever: { folder: files, indexPath: folder.path('index') },
  })
  const server: AgentServer = await agent.run({ port: 0, ...options })
  closers = [() => server.close(), () => agent.close()]
  const call = (method: string, path: string, body?: BodyInit, headers: Record<string, string> = {}) =>
    fetch(`${server.url}/api/v1/${path}`, { method, headers, ...(body !== undefined && { body }) })
  const upload = (name: string, text: string | Uint8Array<ArrayBuffer>, user = 'ada') => {
    const form = new FormData()
    form.append('user_id', user)
    form.append('files', new File([text], name))
    return call('POST', 'uploadfiles/', form)
  }
  const ask = (user: string, accept = 'application/json') => {
    const messages = [{ role: 'user', content: 'What is the secret?' }]
    const body = JSON.stringify({ user_id: user, session_id: crypto.randomUUID(), messages })
    return call('POST', 'chat', body, { accept, 'content-type': 'application/json' })
  }
  return { lines, model, files, server, call, upload, ask }
}

const search = (query: string, more: object = {}): ScriptedTurn => ({
  toolCalls: [{ name: 'search_files', input: { query, ...more } }],
})

describe('files of an agent over HTTP', () => {
  it('are found by the agent when their upload is answered, and their citations open', async () => {
    const { call, upload, ask } = await serveFiles([search('holidays'), 'There are 30.'])
    const uploaded = await upload('rules.md', '# Rules\n\nEverybody has 30 days of holidays.')
    expect(await uploaded.json()).toEqual({
      filenames: ['rules.md'],
      details: [{ name: 'rules.md', size: 43, status: 'ok' }],
    })
    const { sources } = (await (await ask('ada')).json()) as { sources: { chunk_id: string; file: string }[] }
    expect(sources).toMatchObject([{ file: 'rules.md' }])
    const passage = (await (await call('GET', `passages/${sources[0]?.chunk_id}`)).json()) as { quote: string }
    expect(passage).toMatchObject({ file: 'rules.md', heading: 'Rules', page: null, stale: false })
    expect(passage.quote).toContain('30 days')
  })

  it('say why they cannot be read', async () => {
    const { files, upload } = await serveFiles()
    const response = await upload('a.pdf', '%PDF-1.7 and nothing else')
    expect(response.status).toBe(422)
    expect(await response.json()).toMatchObject({
      code: 'unprocessable-file',
      detail: expect.stringMatching(/^"a\.pdf" cannot be read: /),
    })
    expect(readdirSync(files)).toEqual([])
  })

  it('are watched: the console names the folder, and each change, also those of other processes', async () => {
    const { lines, files, call, upload } = await serveFiles()
    expect(lines[1]).toBe(`The files in ${files} are watched.`)
    // What is there before the first sync has ended is not named as a change.
    let probes = 0
    const isWatching = (): boolean => {
      folder.write(join('files', `probe-${probes++}.md`), 'Nothing.')
      return lines.some((line) => line.startsWith('+ probe-'))
    }
    await vi.waitUntil(isWatching, { ...patient, interval: 250 })
    await upload('a.md', 'Bees make honey.')
    await vi.waitUntil(() => lines.includes('+ a.md'), patient)
    folder.write(join('files', 'b.md'), 'Wasps make paper.')
    await vi.waitUntil(() => lines.includes('+ b.md'), patient)
    folder.write(join('files', 'c.xlsx'), 'x')
    await vi.waitUntil(() => lines.some((line) => line.startsWith('+ c.xlsx cannot be read: ')), patient)
    await call('PUT', 'files/a.md/d.md')
    await vi.waitUntil(() => lines.includes('- a.md') && lines.includes('+ d.md'), patient)
    rmSync(join(files, 'b.md'))
    await vi.waitUntil(() => lines.includes('- b.md'), patient)
    expect(lines.filter((line) => line === '+ a.md')).toHaveLength(1)
  })
})

describe('files of each user', () => {
  const perUserFiles = true
  const tools = (name: string, inputs: readonly Record<string, JSONValue>[]) => inputs.map((input) => ({ name, input }))
  const paths = ['', '.', '..', '/', 'diary.md', '../diary.md']

  it('are seen, searched, cited and changed by their user only', async () => {
    const calls = [
      ...tools('search_files', [
        { query: canary },
        { query: 'secret' },
        ...paths.map((path) => ({ query: canary, files: [path] })),
      ]),
      ...tools('list_files', [
        {},
        ...paths.map((path) => ({ folder: path })),
        ...paths.map((path) => ({ after: path })),
      ]),
      ...tools(
        'read_file',
        paths.map((file) => ({ file })),
      ),
    ]
    const turns: ScriptedTurn[] = [search('secret'), 'Yours.', { toolCalls: calls }, 'Nothing.']
    const { files, call, upload, ask, model } = await serveFiles(turns, { perUserFiles })
    await upload('diary.md', `The secret is ${canary}.`, 'ada')
    await upload('notes.md', 'The secret is nothing.', 'bob')

    const hers = (await (await ask('ada')).json()) as { sources: { file: string; quote: string; chunk_id: string }[] }
    expect(hers.sources).toMatchObject([{ file: 'diary.md', quote: `The secret is ${canary}.` }])
    const id = hers.sources[0]?.chunk_id
    expect((await call('GET', `passages/${id}?user_id=ada`)).status).toBe(200)

    const his = await (await ask('bob', 'text/event-stream')).text()
    expect(his).not.toContain(`is ${canary}`)
    expect(his).toContain('The secret is nothing.')
    const asked = JSON.stringify(model.requests)
    expect(asked).not.toMatch(/ada-[0-9a-f]{32}|bob-[0-9a-f]{32}/)

    const own = { files: ['notes.md'], details: [{ name: 'notes.md', size: 22, status: 'ok' }] }
    expect(await (await call('GET', 'files/?user_id=bob')).json()).toEqual(own)
    const [folderOfAda] = readdirSync(files).filter((name) => name.startsWith('ada-'))
    const requests: [method: string, path: string][] = [
      ['GET', `passages/${id}?user_id=bob`],
      ['GET', 'files/diary.md?user_id=bob'],
      ['DELETE', 'files/diary.md?user_id=bob'],
      ['PUT', 'files/diary.md/mine.md?user_id=bob'],
      ['GET', `files/${folderOfAda}?user_id=bob`],
      ['DELETE', `files/${folderOfAda}?user_id=bob`],
      ['GET', `files/..%2f${folderOfAda}%2fdiary.md?user_id=bob`],
    ]
    for (const [method, path] of requests) {
      const response = await call(method, path)
      expect([path, response.status]).toEqual([path, path.includes('%2f') ? 400 : 404])
      expect(await response.text()).not.toContain(canary)
    }
    for (const path of ['diary.md', `../${folderOfAda}/diary.md`, join(files, `${folderOfAda}`, 'diary.md')]) {
      const body = JSON.stringify({ user_id: 'bob', index_name: 'library', file_path: [path] })
      const response = await call('DELETE', 'delete_documents/', body, { 'content-type': 'application/json' })
      expect([path, response.status]).toEqual([path, path === 'diary.md' ? 404 : 400])
    }
    expect(await (await call('GET', 'files/diary.md?user_id=ada')).text()).toContain(canary)
  })

  it('need a user', async () => {
    const { call } = await serveFiles([], { perUserFiles })
    for (const path of ['files/', 'files/a.md', 'passages/x']) {
      const response = await call('GET', path)
      expect([path, response.status]).toEqual([path, 422])
    }
  })

  it('are those of the token', async () => {
    const tokens = { 'a-secret-of-ada-1': 'ada', 'a-secret-of-bob-1': 'bob' }
    const { call } = await serveFiles([], { perUserFiles, auth: { tokens } })
    const as = (token: string, method: string, path: string, body?: BodyInit) =>
      call(method, path, body, { authorization: `Bearer ${token}` })
    const form = new FormData()
    form.append('files', new File([canary], 'diary.md'))
    expect((await as('a-secret-of-ada-1', 'POST', 'uploadfiles/', form)).status).toBe(200)
    expect(await (await as('a-secret-of-ada-1', 'GET', 'files/')).json()).toMatchObject({ files: ['diary.md'] })
    expect(await (await as('a-secret-of-bob-1', 'GET', 'files/')).json()).toMatchObject({ files: [] })
    expect((await as('a-secret-of-bob-1', 'GET', 'files/?user_id=ada')).status).toBe(404)
    expect((await call('GET', 'files/')).status).toBe(401)
  })
})
