import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { userFolder } from '@agentkit/core/internal'
import type { Hono } from 'hono'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { fakeAgent } from '../__fixtures__/fake-agent.ts'
import { type FolderKnowledge, folderKnowledge } from '../__fixtures__/folder-knowledge.ts'
import { expectProblem } from '../__fixtures__/requests.ts'
import { storedAgents } from '../__fixtures__/stored-agent.ts'
import { testFolder } from '../__fixtures__/test-folder.ts'
import { createApp } from '../create-app.ts'
import type { ServerOptions } from '../options.ts'

const folder = testFolder()
let knowledge: FolderKnowledge
let app: Hono
beforeEach(() => {
  knowledge = folderKnowledge(join(folder.path, 'files'))
  mkdirSync(join(knowledge.folder, 'deep'), { recursive: true })
  writeFileSync(join(folder.path, 'outside.md'), 'secret')
  writeFileSync(join(knowledge.folder, 'a.md'), 'a')
  writeFileSync(join(knowledge.folder, 'deep/b.md'), 'b')
  symlinkSync(join(folder.path, 'outside.md'), join(knowledge.folder, 'link.md'))
  app = appWith()
})

function appWith(options: ServerOptions = {}): Hono {
  return createApp({ ...fakeAgent(), knowledge }, { log: () => {}, ...options })
}

function call(method: string, path: string, body: object, headers: Record<string, string> = {}): Promise<Response> {
  const all = { 'content-type': 'application/json', ...headers }
  return Promise.resolve(app.request(`/api/v1/${path}`, { method, body: JSON.stringify(body), headers: all }))
}

const updates: [method: string, path: string][] = [
  ['POST', 'create_index/'],
  ['POST', 'insert_documents/'],
  ['PUT', 'update_documents/'],
]
const index_name = 'fake'

describe('the index routes', () => {
  it.each(updates)('%s %s answers after the sync', async (method, path) => {
    const more = {
      index_type: 'basic',
      file_path: ['a.md', 'deep/b.md', join(knowledge.folder, 'a.md')],
      folder_path: 'deep',
    }
    const response = await call(method, path, { index_name, ...more })
    expect([response.status, await response.json()]).toEqual([200, { message: expect.any(String) }])
    expect((await knowledge.files()).sort()).toEqual(['a.md', 'deep/b.md'])
  })

  it('deletes the named files, and those below a folder, but nothing that a link leads to', async () => {
    await call('DELETE', 'delete_documents/', { index_name, file_path: ['a.md'] })
    expect(await knowledge.files()).toEqual(['deep/b.md'])
    await call('DELETE', 'delete_documents/', { index_name, folder_path: '.' })
    expect(await knowledge.files()).toEqual([])
    expect(readdirSync(folder.path).sort()).toEqual(['files', 'outside.md'])
    await expectProblem(await call('DELETE', 'delete_documents/', { index_name }), 422, 'missing-field')
  })

  it.each([...updates, ['DELETE', 'delete_documents/']])(
    '33 %s %s takes no path outside of the folder',
    async (method, path) => {
      const outside = [
        '/etc',
        '/etc/passwd',
        '..',
        '../outside.md',
        join(folder.path, 'outside.md'),
        'link.md',
        'a.md\0',
        '../../x',
        `${knowledge.folder}/../outside.md`,
      ]
      for (const one of outside) {
        const bodies = [{ file_path: [one] }, { folder_path: one }, { file_path: ['a.md', one] }]
        for (const body of bodies) {
          await expectProblem(await call(method, path, { index_name, ...body }), 400, 'path-not-allowed')
        }
      }
      expect(readdirSync(knowledge.folder).sort()).toEqual(['a.md', 'deep', 'link.md'])
      expect(knowledge.syncs).toBe(0)
    },
  )

  it.each([
    ['a missing file', { file_path: ['x.md'] }, 404, 'not-found'],
    ['a folder as a file', { file_path: ['deep'] }, 404, 'not-found'],
    ['a file as a folder', { folder_path: 'a.md' }, 404, 'not-found'],
    ['another index', { index_name: 'other' }, 404, 'not-found'],
    ['no index', { index_name: undefined }, 422, 'missing-field'],
    ['a path that is not text', { file_path: [1] }, 422, 'invalid-field'],
    ['a list that is none', { file_path: 'a.md' }, 422, 'invalid-field'],
  ])('%s → %i', async (_, body, status, code) => {
    await expectProblem(await call('POST', 'create_index/', { index_name, ...body }), status, code)
  })
})

describe('an index route with an Idempotency-Key', () => {
  const make = storedAgents()

  it.each([
    ['create_index/', {}],
    ['insert_documents/', { user_id: 'ada', file_path: ['a.md'] }],
  ])('%s syncs once, and its answer is replayed for the same body', async (path, more) => {
    const { agent } = make([], { knowledge })
    app = createApp(agent, { log: () => {} })
    const send = (body: object): Promise<Response> =>
      call('POST', path, { index_name: agent.id, ...more, ...body }, { 'idempotency-key': 'key-1' })
    const [first, again] = [await send({}), await send({})]
    expect([first.status, await first.json()]).toEqual([200, { message: expect.any(String) }])
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([200, 'true'])
    expect(knowledge.syncs).toBe(1)
    await expectProblem(await send({ folder_path: 'deep' }), 422, 'idempotency-key-reused')
  })
})

describe('files that users share', () => {
  const tokens = { 'a-secret-of-ada-1': 'ada', 'a-secret-of-all-1': '*' }
  const form = (): FormData => {
    const body = new FormData()
    body.append('files', new File(['x'], 'new.md'))
    return body
  }
  const as = (token: string, method: string, path: string, body?: FormData) =>
    app.request(`/api/v1/${path}`, { method, headers: { authorization: `Bearer ${token}` }, ...(body && { body }) })

  it('are changed with a token for any user only, and listed and downloaded with any', async () => {
    app = appWith({ auth: { tokens } })
    const user = 'a-secret-of-ada-1'
    const changes: [method: string, path: string, body?: FormData][] = [
      ['POST', 'uploadfiles/', form()],
      ['DELETE', 'files/a.md'],
      ['PUT', 'files/a.md/c.md'],
    ]
    for (const [method, path, body] of changes)
      await expectProblem(await as(user, method, path, body), 404, 'not-found')
    const bearer = { authorization: `Bearer ${user}` }
    for (const [method, path] of [...updates, ['DELETE', 'delete_documents/']] as const) {
      await expectProblem(await call(method, path, { index_name, file_path: ['a.md'] }, bearer), 404, 'not-found')
    }
    expect(readdirSync(knowledge.folder).sort()).toEqual(['a.md', 'deep', 'link.md'])
    expect((await as(user, 'GET', 'files/')).status).toBe(200)
    expect((await as(user, 'GET', 'files/?user_id=ada')).status).toBe(200)
    await expectProblem(await as(user, 'GET', 'files/?user_id=bob'), 404, 'not-found')
    expect(await (await as(user, 'GET', 'files/a.md')).text()).toBe('a')

    const all = 'a-secret-of-all-1'
    expect((await as(all, 'POST', 'uploadfiles/', form())).status).toBe(200)
    expect((await as(all, 'PUT', 'files/a.md/c.md')).status).toBe(200)
    expect((await as(all, 'DELETE', 'files/c.md')).status).toBe(200)
  })

  it('are of the user of an upload whose form values are in quotes, as in a chat', async () => {
    app = appWith({ perUserFiles: true })
    const body = form()
    body.append('user_id', '"ada"')
    expect((await app.request('/api/v1/uploadfiles/', { method: 'POST', body })).status).toBe(200)
    expect(await (await app.request('/api/v1/files?user_id=ada')).json()).toMatchObject({ files: ['new.md'] })
  })

  it('of another user look like files that do not exist, however a path leads to them', async () => {
    app = appWith({ perUserFiles: true })
    const ofBob = join(knowledge.folder, userFolder('bob'))
    mkdirSync(ofBob)
    writeFileSync(join(ofBob, 'diary.md'), 'secret')
    const detailOf = async (body: object): Promise<string> => {
      const response = await call('DELETE', 'delete_documents/', { user_id: 'ada', index_name, ...body })
      return `${response.status} ${((await response.json()) as { detail: string }).detail}`
    }
    // The default folder is below the working directory.
    const cwd = vi.spyOn(process, 'cwd').mockReturnValue(folder.path)
    const places = [join('files', userFolder('bob')), ofBob, join('..', userFolder('bob')), userFolder('bob')]
    for (const place of places) {
      const file = await detailOf({ file_path: [join(place, 'diary.md')] })
      expect(file).toBe(await detailOf({ file_path: [join(place, 'no-diary.md')] }))
      expect(await detailOf({ folder_path: place })).toBe(await detailOf({ folder_path: `${place}-2` }))
    }
    cwd.mockRestore()
    expect(readdirSync(ofBob)).toEqual(['diary.md'])
  })

  it('cannot be separated where the knowledge does not know users', () => {
    const { separateUsers: _, ...custom } = knowledge
    const { folder: __, ...elsewhere } = knowledge
    for (const one of [custom, elsewhere]) {
      expect(() => createApp({ ...fakeAgent(), knowledge: one }, { perUserFiles: true })).toThrow(
        expect.objectContaining({ code: 'invalid-config', message: expect.stringContaining('perUserFiles') }),
      )
    }
    appWith()
    expect(knowledge.isSeparate).toBe(false)
    appWith({ perUserFiles: true })
    expect(knowledge.isSeparate).toBe(true)
  })
})
