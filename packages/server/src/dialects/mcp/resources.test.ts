import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { userFolder } from '@agentkit/core/internal'
import { describe, expect, it } from 'vitest'
import { fakeAgent } from '../../__fixtures__/fake-agent.ts'
import { folderKnowledge } from '../../__fixtures__/folder-knowledge.ts'
import { testFolder } from '../../__fixtures__/test-folder.ts'
import { createApp } from '../../create-app.ts'
import type { ServerOptions } from '../../options.ts'
import { clients, messageIn, modern, post } from './__fixtures__/mcp-clients.ts'
import { maxResourceBytes } from './resources.ts'

const folder = testFolder()
const appOf = (options: Partial<ServerOptions> = {}) =>
  createApp(
    { ...fakeAgent(), knowledge: folderKnowledge(folder.path) },
    { log: () => {}, dialects: ['mcp'], ...options },
  )
const write = (name: string, content: string | Uint8Array) => writeFileSync(join(folder.path, name), content)
const uriOf = (name: string) => `agentkit://files/${encodeURIComponent(name)}`

describe.each(clients)('the files of an agent, for a client of the SDK %s', (_, connect) => {
  it('are listed in pages, and read as text or as bytes', async () => {
    for (let index = 0; index < 250; index++) write(`note ${String(index).padStart(3, '0')}.md`, `Note ${index}.`)
    write('z.pdf', Uint8Array.from([0x25, 0x50, 0xff]))
    const client = await connect(appOf())
    expect(client.getServerCapabilities()).toMatchObject({ resources: {} })
    const found: { uri: string; name: string; mimeType?: string | undefined }[] = []
    let cursor: string | undefined
    do {
      // The client of the SDK 2 walks the pages by itself.
      const page = await client.listResources(cursor === undefined ? {} : { cursor })
      found.push(...page.resources)
      cursor = page.nextCursor
    } while (cursor !== undefined)
    expect([found.length, new Set(found.map(({ uri }) => uri)).size]).toEqual([251, 251])
    expect(found[7]).toMatchObject({ name: 'note 007.md', mimeType: 'text/markdown', size: 7 })
    const { contents } = await client.readResource({ uri: found[7]?.uri ?? '' })
    expect(contents).toMatchObject([{ uri: found[7]?.uri, mimeType: 'text/markdown', text: 'Note 7.' }])
    const pdf = await client.readResource({ uri: uriOf('z.pdf') })
    expect(pdf.contents).toMatchObject([{ mimeType: 'application/pdf', blob: 'JVD/' }])
  })

  it.each(['Übersicht (2).md', 'a%2fb.txt', 'what? #1 & more.txt', 'it\'s "quoted".txt', '日本語 🌱.md', 'a+b=c.csv'])(
    'may be named %s',
    async (name) => {
      write(name, 'It is here.')
      const client = await connect(appOf())
      const { resources } = await client.listResources()
      expect(resources.map((each) => each.name)).toEqual([name])
      const { contents } = await client.readResource({ uri: resources[0]?.uri ?? '' })
      expect(contents).toMatchObject([{ text: 'It is here.' }])
    },
  )
})

describe('a resource', () => {
  it.each([
    ['that does not exist', uriOf('none.md')],
    ['above the folder', 'agentkit://files/../secret.md'],
    ['above the folder, encoded', `agentkit://files/${encodeURIComponent('../secret.md')}`],
    ['at an absolute path', 'agentkit://files//etc/passwd'],
    ['that is hidden', uriOf('.env')],
    ['with a NUL', 'agentkit://files/a%00.md'],
    ['with a broken encoding', 'agentkit://files/%zz'],
    ['behind a link', uriOf('link.md')],
    ['behind a link to a folder', 'agentkit://files/linked/secret.md'],
    ['of another scheme', 'file:///etc/passwd'],
    ['without a name', 'agentkit://files/'],
    ['with a very long name', `agentkit://files/${'a'.repeat(5_000)}`],
  ])('%s is not found', async (_, uri) => {
    const outside = join(folder.path, '../agentkit-outside')
    mkdirSync(outside, { recursive: true })
    writeFileSync(join(outside, 'secret.md'), 'secret')
    writeFileSync(join(folder.path, '../secret.md'), 'secret')
    write('.env', 'secret')
    symlinkSync(join(outside, 'secret.md'), join(folder.path, 'link.md'))
    symlinkSync(outside, join(folder.path, 'linked'))
    for (const send of [post, modern]) {
      const response = await appOf().request('/mcp', send('resources/read', { uri }))
      expect(response.status).toBe(400)
      expect((await messageIn(response)).error).toMatchObject({ code: -32602 })
    }
    const listed = await messageIn(await appOf().request('/mcp', post('resources/list')))
    expect(listed.result).toMatchObject({ resources: [] })
  })

  it('in a folder is read by its path', async () => {
    mkdirSync(join(folder.path, 'deep er'))
    write('deep er/a.md', 'Deep.')
    const knowledge = folderKnowledge(folder.path)
    await knowledge.sync({} as never)
    const app = createApp({ ...fakeAgent(), knowledge }, { log: () => {}, dialects: ['mcp'] })
    const listed = await messageIn(await app.request('/mcp', post('resources/list')))
    expect(listed.result).toMatchObject({
      resources: [{ uri: 'agentkit://files/deep%20er/a.md', name: 'deep er/a.md' }],
    })
    const read = await app.request('/mcp', post('resources/read', { uri: 'agentkit://files/deep%20er/a.md' }))
    expect((await messageIn(read)).result).toMatchObject({ contents: [{ text: 'Deep.' }] })
  })

  it('has a bound, and so have all that are read at once', async () => {
    write('large.pdf', '')
    truncateSync(join(folder.path, 'large.pdf'), maxResourceBytes + 1)
    const large = await appOf().request('/mcp', post('resources/read', { uri: uriOf('large.pdf') }))
    expect(large.status).toBe(413)
    expect((await messageIn(large)).error).toMatchObject({ code: -32000, data: { code: 'payload-too-large' } })
    truncateSync(join(folder.path, 'large.pdf'), maxResourceBytes)
    const fits = await appOf().request('/mcp', post('resources/read', { uri: uriOf('large.pdf') }))
    expect(fits.status).toBe(200)
    const app = appOf({ limits: { heldBytes: 10_000_000 } })
    const full = await app.request('/mcp', post('resources/read', { uri: uriOf('large.pdf') }))
    expect(full.status).toBe(503)
  })

  it('that is not text is sent as bytes, under any name', async () => {
    write('a.txt', Uint8Array.from([0xff, 0xfe, 0]))
    const read = await messageIn(await appOf().request('/mcp', post('resources/read', { uri: uriOf('a.txt') })))
    expect(read.result).toMatchObject({ contents: [{ blob: '//4A' }] })
  })

  it('list has pages of 100', async () => {
    for (let index = 0; index < 101; index++) write(`${index}.md`, 'A note.')
    const app = appOf()
    const first = await messageIn(await app.request('/mcp', post('resources/list')))
    const cursor = first.result?.nextCursor
    const second = await messageIn(await app.request('/mcp', post('resources/list', { cursor })))
    expect([first, second].map(({ result }) => ((result?.resources ?? []) as unknown[]).length)).toEqual([100, 1])
    expect(second.result).not.toHaveProperty('nextCursor')
  })

  it.each(['?', 'Zg==', ''])('list refuses the cursor "%s"', async (cursor) => {
    const response = await appOf().request('/mcp', modern('resources/list', { cursor }))
    expect(response.status).toBe(400)
    expect((await messageIn(response)).error).toMatchObject({ code: -32602 })
  })
})

describe('with files of users', () => {
  const tokens = { 'a-token-of-ann-that-is-long': 'ann', 'a-token-of-any-that-is-long': '*' }
  const of = (name: string, more: Record<string, string> = {}) => ({
    authorization: `Bearer a-token-of-${name}-that-is-long`,
    ...more,
  })
  const listed = async (headers: Record<string, string>, options: Partial<ServerOptions> = { auth: { tokens } }) => {
    for (const [user, name] of [
      ['ann', 'ann.md'],
      ['eve', 'eve.md'],
      ['default', 'default.md'],
    ] as const) {
      mkdirSync(join(folder.path, userFolder(user)), { recursive: true })
      write(`${userFolder(user)}/${name}`, `Of ${user}.`)
    }
    const app = appOf({ ...options, perUserFiles: true })
    const { result } = await messageIn(await app.request('/mcp', post('resources/list', {}, headers)))
    const names = ((result?.resources ?? []) as { name: string }[]).map(({ name }) => name)
    const reads = ['ann', 'eve', 'default'].flatMap((user) => [
      uriOf(`${user}.md`),
      `agentkit://files/${userFolder(user)}/${user}.md`,
    ])
    const texts: string[] = []
    for (const uri of reads) {
      const { result: read } = await messageIn(await app.request('/mcp', post('resources/read', { uri }, headers)))
      if (read) texts.push((read.contents as { text: string }[])[0]?.text ?? '')
    }
    return [names, texts]
  }

  it.each([
    ['a token', of('ann'), undefined, 'ann'],
    ['a token for any user, and a name', of('any', { 'x-user-id': 'eve' }), undefined, 'eve'],
    ['a name without auth', { 'x-user-id': 'eve' }, {}, 'eve'],
  ])('%s reads the own ones', async (_, headers, options, user) => {
    expect(await listed(headers as Record<string, string>, options)).toEqual([[`${user}.md`], [`Of ${user}.`]])
  })

  it.each([
    ['a token for any user', of('any'), undefined],
    ['no name, without auth,', {}, {}],
  ])('%s reads none', async (_, headers, options) => {
    expect(await listed(headers as Record<string, string>, options)).toEqual([[], []])
  })
})
