import { readdirSync } from 'node:fs'
import type { Hono } from 'hono'
import { beforeEach, describe, expect, it } from 'vitest'
import { type FakeAgent, fakeAgent } from '../__fixtures__/fake-agent.ts'
import { type FolderKnowledge, folderKnowledge } from '../__fixtures__/folder-knowledge.ts'
import { expectHealthy, expectProblem, validFields } from '../__fixtures__/requests.ts'
import { testFolder } from '../__fixtures__/test-folder.ts'
import { createApp } from '../create-app.ts'

const folder = testFolder()
let knowledge: FolderKnowledge
let agent: FakeAgent
let app: Hono
beforeEach(() => {
  knowledge = folderKnowledge(folder.path)
  agent = { ...fakeAgent(), knowledge }
  app = createApp(agent, { log: () => {} })
})

function chat(files: readonly File[], { first = true, ...changes }: { first?: boolean; [name: string]: unknown } = {}) {
  const body = new FormData()
  const addFiles = (): void => files.forEach((file) => void body.append('files', file))
  if (first) addFiles()
  for (const [name, value] of Object.entries({ ...validFields, ...changes })) body.append(name, String(value))
  if (!first) addFiles()
  return Promise.resolve(app.request('/api/v1/chat', { method: 'POST', body }))
}

const bees = new File(['Bees make honey.'], 'bees.md')

describe('a chat with files', () => {
  it.each([true, false])('is answered when they are searchable (before its fields: %s)', async (first) => {
    let searchable: string[] = []
    const { stream } = agent
    app = createApp({
      ...agent,
      stream(...args) {
        void knowledge.files().then((files) => (searchable = files))
        return stream(...args)
      },
    })
    const response = await chat([bees, new File(['x'.repeat(200_000)], 'long.txt')], { first })
    expect([response.status, await response.text()]).toEqual([200, 'Hello.'])
    expect(searchable.sort()).toEqual(['bees.md', 'long.txt'])
    expect(agent.calls).toHaveLength(1)
  })

  it('keeps a text of its fields as it was sent, also a replacement character after a file', async () => {
    const content = 'What does \ufffd mean? 😀'
    await chat([bees], { chat_data: JSON.stringify({ messages: [{ role: 'user', content }] }) })
    expect(agent.calls[0]?.input).toBe(content)
  })

  it.each([
    ['a file of a type that is not read', [new File(['x'], 'a.exe')], {}, 400, 'file-type-not-allowed'],
    ['a bad name', [new File(['x'], '.env')], {}, 400, 'invalid-filename'],
    ['files that cannot be read', [new File(['BROKEN'], 'a.md')], {}, 422, 'unprocessable-file'],
    ['a question that is not valid', [bees], { chat_data: '{}' }, 400, 'malformed-chat-data'],
    ['no session', [bees], { session_id: '' }, 422, 'invalid-field'],
  ])('with %s is refused, and neither stores nor runs', async (_, files, changes, status, code) => {
    await expectProblem(await chat(files, changes), status, code)
    expect(readdirSync(folder.path)).toEqual([])
    expect(agent.calls).toHaveLength(0)
    await expectHealthy(app)
  })

  it.each([
    ['files', 'bees.md', 'The field files must be a file, with a file name.'],
    ['chat_data', bees, 'The field chat_data is a file: send it as text, without a file name.'],
    ['upload', bees, 'The field upload is a file: send files in the field "files".'],
  ] as [name: string, value: string | File, detail: string][])(
    'names the field %s and what to send',
    async (name, value, detail) => {
      const body = new FormData()
      for (const [field, text] of Object.entries({ ...validFields, [name]: value })) body.append(field, text)
      const response = await app.request('/api/v1/chat', { method: 'POST', body })
      const problem = await expectProblem(response, 422, 'invalid-field')
      expect(problem.detail).toBe(detail)
      expect(problem.errors?.[0]?.path).toEqual([name])
    },
  )

  it('that is no UTF-8 in a field after a file is refused', async () => {
    const part = (head: string, value: string): string =>
      `--b\r\nContent-Disposition: form-data; ${head}\r\n\r\n${value}\r\n`
    const fields = part('name="session_id"', 's') + part('name="user_id"', 'a\xff')
    const form = `${part('name="files"; filename="a.md"', 'x')}${fields}--b--\r\n`
    const request = { method: 'POST', body: Buffer.from(form, 'latin1') }
    const response = await app.request('/api/v1/chat', {
      ...request,
      headers: { 'content-type': 'multipart/form-data; boundary=b' },
    })
    await expectProblem(response, 400, 'malformed-multipart')
    expect(readdirSync(folder.path)).toEqual([])
  })

  it('as JSON is 422', async () => {
    const body = JSON.stringify({ user_id: 'ada', session_id: 's', messages: [], files: [{ filepath: '/etc/passwd' }] })
    const request = { method: 'POST', body, headers: { 'content-type': 'application/json' } }
    await expectProblem(await app.request('/api/v1/chat', request), 422, 'invalid-field')
  })

  it('to an agent without files is 415', async () => {
    app = createApp(fakeAgent(), { log: () => {} })
    await expectProblem(await chat([bees]), 415, 'unsupported-media-type')
  })

  it('with a token of one user needs files of its own for each', async () => {
    const token = 'a-secret-of-ada-1'
    const auth = { tokens: { [token]: 'ada' } }
    const authorized = async (shared: Hono) => {
      const body = new FormData()
      for (const [name, value] of Object.entries(validFields)) body.append(name, value)
      body.append('files', bees)
      return shared.request('/api/v1/chat', { method: 'POST', body, headers: { authorization: `Bearer ${token}` } })
    }
    await expectProblem(await authorized(createApp(agent, { auth, log: () => {} })), 404, 'not-found')
    expect(readdirSync(folder.path)).toEqual([])
    expect((await authorized(createApp(agent, { auth, perUserFiles: true }))).status).toBe(200)
    expect(await knowledge.files()).toEqual([expect.stringMatching(/^ada-[0-9a-f]{32}.bees\.md$/)])
  })
})
