import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { AgentKitError } from '@agentkit/core'
import type { Hono } from 'hono'
import { beforeEach, describe, expect, it } from 'vitest'
import { fakeAgent } from '../__fixtures__/fake-agent.ts'
import { type FolderKnowledge, folderKnowledge } from '../__fixtures__/folder-knowledge.ts'
import { boundary, expectHealthy, expectProblem, formBody, multipart } from '../__fixtures__/requests.ts'
import { storedAgents } from '../__fixtures__/stored-agent.ts'
import { testFolder } from '../__fixtures__/test-folder.ts'
import { createApp } from '../create-app.ts'
import type { ServerOptions } from '../options.ts'

const folder = testFolder()
const quiet = { log: () => {} }
let knowledge: FolderKnowledge
let app: Hono
beforeEach(() => {
  knowledge = folderKnowledge(join(folder.path, 'files'))
  mkdirSync(knowledge.folder)
  app = appWith()
})

function appWith(options: ServerOptions = {}): Hono {
  return createApp({ ...fakeAgent(), knowledge }, { ...quiet, ...options })
}

type Sent = [name: string, content: string | Uint8Array<ArrayBuffer>]

function form(...files: Sent[]): FormData {
  const data = new FormData()
  for (const [name, content] of files) data.append('files', new File([content], name))
  return data
}

function upload(...files: Sent[]): Promise<Response> {
  return Promise.resolve(app.request('/api/v1/uploadfiles/', { method: 'POST', body: form(...files) }))
}

/** A form of one file whose part has these headers, as text of one byte per character. */
function rawUpload(disposition: string, content = 'text'): Promise<Response> {
  const part = `--${boundary}\r\nContent-Disposition: form-data; name="files"; ${disposition}\r\n\r\n${content}\r\n`
  const body = Buffer.from(`${part}--${boundary}--\r\n`, 'latin1')
  const request = { method: 'POST', body, headers: { 'content-type': multipart } }
  return Promise.resolve(app.request('/api/v1/uploadfiles', request))
}

function call(method: string, path: string, body?: object): Promise<Response> {
  const json = body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
  return Promise.resolve(app.request(`/api/v1/${path}`, { method, ...json }))
}

const names = (): string[] => readdirSync(knowledge.folder).sort()
const put = (name: string, content: string): void => writeFileSync(join(knowledge.folder, name), content)

describe('an upload', () => {
  it('is searchable when its request ends', async () => {
    const response = await upload(['a.md', '# Bees'], ['ü b.txt', 'Wasps'])
    expect(response.status).toBe(200)
    const details = [
      { name: 'a.md', size: 6, status: 'ok' },
      { name: 'ü b.txt', size: 5, status: 'ok' },
    ]
    expect(await response.json()).toEqual({ filenames: ['a.md', 'ü b.txt'], details })
    expect(await (await call('GET', 'files/')).json()).toEqual({ files: ['a.md', 'ü b.txt'], details })
    expect(knowledge.syncs).toBe(1)
    expect(statSync(join(knowledge.folder, 'a.md')).mode & 0o777).toBe(0o600)
  })

  it('is read to its end where all of it has arrived before', async () => {
    const content = 'Bees. '.repeat(50_000)
    const disposition = 'Content-Disposition: form-data; name="files"; filename="a.txt"'
    const body = `--${boundary}\r\n${disposition}\r\n\r\n${content}\r\n--${boundary}--\r\n`
    // Behaves like some requests of Node: it knows the end when it emits the last chunk, and emits `end` although that
    // chunk pauses it.
    const incoming = new Readable({ read() {} })
    incoming.push(body)
    incoming.push(null)
    const request = new Request('http://localhost/api/v1/uploadfiles/', {
      method: 'POST',
      headers: { 'content-type': multipart, host: 'localhost' },
    })
    const response = await app.fetch(request, { incoming })
    expect(await response.json()).toMatchObject({ details: [{ name: 'a.txt', size: content.length, status: 'ok' }] })
  })

  it('takes `files[]` too, and replaces a file of the same name', async () => {
    put('a.md', 'old')
    const data = new FormData()
    data.append('files[]', new File(['new'], 'a.md'))
    expect((await app.request('/api/v1/uploadfiles', { method: 'POST', body: data })).status).toBe(200)
    expect(readFileSync(join(knowledge.folder, 'a.md'), 'utf8')).toBe('new')
    expect(names()).toEqual(['a.md'])
  })

  it('says why a file cannot be searched, and keeps it beside one that can', async () => {
    const { details } = (await (await upload(['a.md', 'Bees'], ['b.md', 'BROKEN'])).json()) as { details: unknown }
    expect(details).toEqual([
      { name: 'a.md', size: 4, status: 'ok' },
      { name: 'b.md', size: 6, status: 'corrupt', reason: 'It is damaged.' },
    ])
    expect(names()).toEqual(['a.md', 'b.md'])
  })

  it('of which nothing can be read is 422, and leaves the folder as it was', async () => {
    put('b.md', 'readable')
    const problem = await expectProblem(await upload(['b.md', 'BROKEN'], ['c.md', 'BROKEN']), 422, 'unprocessable-file')
    expect(problem.errors).toEqual([
      { path: ['files', 'b.md'], message: 'It is damaged.' },
      { path: ['files', 'c.md'], message: 'It is damaged.' },
    ])
    expect(names()).toEqual(['b.md'])
    expect(readFileSync(join(knowledge.folder, 'b.md'), 'utf8')).toBe('readable')
    expect(await knowledge.records?.()).toEqual([{ file: 'b.md', size: 8, status: 'ok' }])
  })

  it('of which nothing can be read removes no file that has come under its name and inode meanwhile', async () => {
    const { sync } = knowledge
    const [stored, kept] = [join(knowledge.folder, 'c.md'), join(folder.path, 'kept')]
    knowledge.sync = async () => {
      // Another upload of the name, which the file system gives the inode that the removed file has left.
      if (existsSync(stored)) linkSync(stored, kept)
      else linkSync(kept, stored)
      return sync()
    }
    await expectProblem(await upload(['c.md', 'BROKEN']), 422, 'unprocessable-file')
    expect(names()).toEqual(['c.md'])
  })

  it('whose index fails is stored, and says that it is pending, without the error', async () => {
    knowledge.failure = new AgentKitError('storage', 'secret path')
    const text = await (await upload(['a.md', 'Bees'])).text()
    expect(JSON.parse(text).details[0]).toMatchObject({ name: 'a.md', status: 'pending' })
    expect(text).not.toContain('secret')
    knowledge.failure = undefined
    const listed = (await (await call('GET', 'files')).json()) as { details: unknown[] }
    expect(listed.details).toEqual([{ name: 'a.md', size: 4, status: 'pending', reason: 'It is not indexed yet.' }])
  })

  it('whose index takes longer than the deadline says that it is pending', async () => {
    const paused = Promise.withResolvers<void>()
    knowledge.pause = paused.promise
    app = appWith({ limits: { deadlineMs: 500 } })
    const { details } = (await (await upload(['a.md', 'Bees'])).json()) as { details: object[] }
    expect(details).toEqual([{ name: 'a.md', size: 4, status: 'pending', reason: 'It is still being read.' }])
    paused.resolve()
  })

  it.each([
    ['18 a path', 'filename="../../etc/x.md"', 'x.md'],
    ['18 a path of Windows', 'filename="..\\\\..\\\\x.md"', 'x.md'],
    ['18 a path in the extended form', "filename*=UTF-8''%2e%2e%2fx.md", 'x.md'],
    ['18 an absolute path', 'filename="/etc/x.md"', 'x.md'],
    ['a name in Unicode’s decomposed form', "filename*=UTF-8''u%CC%88.md", 'ü.md'],
    ['a name with an extension in capitals', 'filename="A.MD"', 'A.MD'],
  ])('%s keeps only the name: %s', async (_, disposition, name) => {
    const response = await rawUpload(disposition)
    expect(await response.json()).toMatchObject({ filenames: [name] })
    expect(names()).toEqual([name])
    expect(readdirSync(folder.path)).toEqual(['files'])
  })

  it.each([
    ['22 an encoded NUL', "filename*=UTF-8''a%00.md", 400, 'invalid-filename'],
    ['22 a dot', 'filename="."', 400, 'invalid-filename'],
    ['22 two dots', 'filename=".."', 400, 'invalid-filename'],
    ['22 no name', 'filename=""\r\nContent-Type: application/octet-stream', 400, 'invalid-filename'],
    ['22 a device', 'filename="CON"', 400, 'invalid-filename'],
    ['22 a device with an extension', 'filename="nul.md"', 400, 'invalid-filename'],
    ['22 a device with a superscript', "filename*=UTF-8''com%C2%B9.md", 400, 'invalid-filename'],
    ['22 300 bytes', `filename="${'x'.repeat(297)}.md"`, 400, 'invalid-filename'],
    ['22 a mark of direction', "filename*=UTF-8''a%E2%80%AEdm.md", 400, 'invalid-filename'],
    ['a hidden file', 'filename=".env.md"', 400, 'invalid-filename'],
    ['a file of Word', 'filename="~$report.docx"', 400, 'invalid-filename'],
    ['a name of a temporary file', 'filename=".agentkit-upload-1.md"', 400, 'invalid-filename'],
    ['a control character', "filename*=UTF-8''a%1B%5B31m.md", 400, 'invalid-filename'],
    ['the end of a line', "filename*=UTF-8''a%0A.md", 400, 'invalid-filename'],
    ['a dot at the end', 'filename="a.md."', 400, 'invalid-filename'],
    ['a name that is not UTF-8', 'filename="a\xff.md"', 400, 'malformed-multipart'],
    ['26 a type that is not read', 'filename="a.exe"', 400, 'file-type-not-allowed'],
    ['26 no extension', 'filename="README"', 400, 'file-type-not-allowed'],
  ])('%s (%s) → %i %s, and stores nothing', async (_, disposition, status, code) => {
    await expectProblem(await rawUpload(disposition), status, code)
    expect(names()).toEqual([])
    await expectHealthy(app)
  })

  it('19 a name with NUL is 400 malformed-multipart, and stores nothing', async () => {
    await expectProblem(await rawUpload('filename="a\0.md"'), 400, 'malformed-multipart')
    expect(names()).toEqual([])
    await expectHealthy(app)
  })

  it.each([
    ['a PDF called text', 'a.txt', '%PDF-1.7'],
    ['a program called text', 'a.txt', '\x7fELF\x02\x01'],
    ['a program of Windows called Markdown', 'a.md', 'MZ\x90\0\x03'],
    ['a Word document called text', 'a.txt', 'PK\x03\x04'],
    ['a picture called PDF', 'a.pdf', '\x89PNG\r\n\x1a\n'],
    ['a program, byte for byte longer than the beginning', 'a.txt', `\x7fELF${'\0'.repeat(5000)}`],
  ])('27 %s → 400', async (_, name, content) => {
    await expectProblem(await upload([name, Buffer.from(content, 'latin1')]), 400, 'file-type-mismatch')
    expect(names()).toEqual([])
  })

  it.each([
    ['text that begins like a program', 'a.txt', 'MZ is a pair of letters.'],
    ['a Word document with a password', 'a.docx', '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1'],
  ])('accepts %s', async (_, name, content) => {
    expect((await upload([name, Buffer.from(content, 'latin1')])).status).toBe(200)
  })

  it('13 of 11 files → 413, of 10 → 200', async () => {
    const files = Array.from({ length: 11 }, (_, index): Sent => [`${index}.md`, 'x'])
    await expectProblem(await upload(...files), 413, 'too-many-parts')
    expect(names()).toEqual([])
    expect((await upload(...files.slice(1))).status).toBe(200)
  })

  it('13 of 51 parts → 413', async () => {
    const fields = Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`f${index}`, 'x']))
    const request = { method: 'POST', body: formBody(fields), headers: { 'content-type': multipart } }
    await expectProblem(await app.request('/api/v1/uploadfiles', request), 413, 'too-many-parts')
  })

  it('15 over the limit of a file, or of the request → 413, and stores nothing', async () => {
    app = appWith({ limits: { fileBytes: 100_000, uploadBytes: 250_000 } })
    await expectProblem(await upload(['a.md', 'x'.repeat(100_001)]), 413, 'payload-too-large')
    const files = ['a', 'b', 'c'].map((name): Sent => [`${name}.md`, 'x'.repeat(99_000)])
    await expectProblem(await upload(...files), 413, 'payload-too-large')
    expect(names()).toEqual([])
    expect((await upload(['a.md', 'x'.repeat(100_000)])).status).toBe(200)
  })

  it('may be larger than other bodies, but its fields may not', async () => {
    app = appWith({ limits: { bodyBytes: 100_000 } })
    const large = await upload(['a.md', 'x'.repeat(1_000_000)])
    expect([large.status, await large.text()]).toEqual([200, expect.any(String)])
    const data = form(['b.md', 'x'])
    for (let index = 0; index < 3; index++) data.append(`field${index}`, 'x'.repeat(50_000))
    const response = await app.request('/api/v1/uploadfiles', { method: 'POST', body: data })
    await expectProblem(response, 413, 'payload-too-large')
    expect(names()).toEqual(['a.md'])
  })

  it.each([
    ['no file', new FormData(), 422, 'missing-field'],
    ['a file in another field', withFile('picture'), 422, 'invalid-field'],
    ['a file that is a text', withText('files'), 422, 'invalid-field'],
    ['the same name twice', form(['a.md', 'x'], ['a.md', 'y']), 422, 'invalid-field'],
  ])('with %s → %i', async (_, body, status, code) => {
    await expectProblem(await app.request('/api/v1/uploadfiles', { method: 'POST', body }), status, code)
    expect(names()).toEqual([])
  })

  it('as JSON → 415', async () => {
    const { detail } = await expectProblem(
      await call('POST', 'uploadfiles', { files: ['x'] }),
      415,
      'unsupported-media-type',
    )
    expect(detail).toBe('Send the files as multipart/form-data, in the field "files".')
  })

  it('as JSON to an agent without files → 415', async () => {
    app = createApp(fakeAgent(), { log: () => {} })
    await expectProblem(await call('POST', 'uploadfiles', { files: ['x'] }), 415, 'unsupported-media-type')
  })

  it.each(['whole', 'truncated', 'without its end'])(
    '12 removes what it has written when the body is %s',
    async (how) => {
      const whole = `--${boundary}\r\nContent-Disposition: form-data; name="files"; filename="a.md"\r\n\r\n${'x'.repeat(90_000)}`
      const end = `\r\n--${boundary}--\r\n`
      const body = how === 'whole' ? whole + end : how === 'truncated' ? whole : `${whole}\r\n--${boundary}`
      const request = { method: 'POST', body, headers: { 'content-type': multipart } }
      const response = await app.request('/api/v1/uploadfiles', request)
      if (how === 'whole') expect(response.status).toBe(200)
      else await expectProblem(response, 400, 'malformed-multipart')
      expect(names()).toEqual(how === 'whole' ? ['a.md'] : [])
    },
  )

  it('16 without room → 413, and stores nothing', async () => {
    // `max_disk_mb` sets this.
    const { uploadWith } = await import('../__fixtures__/upload-with.ts')
    await expectProblem(
      await uploadWith(knowledge, { hasRoom: async (bytes) => bytes < 5 }, form(['a.md', 'Bees!'])),
      413,
      'quota-exceeded',
    )
    expect(names()).toEqual([])
    expect((await uploadWith(knowledge, { hasRoom: async (bytes) => bytes < 5 }, form(['a.md', 'Bees']))).status).toBe(
      200,
    )
  })

  it('does not follow a link of its name', async () => {
    writeFileSync(join(folder.path, 'target.md'), 'untouched')
    symlinkSync(join(folder.path, 'target.md'), join(knowledge.folder, 'a.md'))
    expect((await upload(['a.md', 'new'])).status).toBe(200)
    expect(readFileSync(join(folder.path, 'target.md'), 'utf8')).toBe('untouched')
    expect(readFileSync(join(knowledge.folder, 'a.md'), 'utf8')).toBe('new')
  })

  it('with the name of a folder → 409', async () => {
    mkdirSync(join(knowledge.folder, 'a.md'))
    await expectProblem(await upload(['b.md', 'x'], ['a.md', 'x']), 409, 'file-exists')
    expect(names()).toEqual(['a.md'])
  })
})

function withFile(field: string): FormData {
  const data = new FormData()
  data.append(field, new File(['x'], 'a.md'))
  return data
}

function withText(field: string): FormData {
  const data = new FormData()
  data.append(field, 'x')
  return data
}

describe('an upload with an Idempotency-Key', () => {
  const make = storedAgents()
  const send = (...files: Sent[]): Promise<Response> => {
    const headers = { 'idempotency-key': 'key-1' }
    return Promise.resolve(app.request('/api/v1/uploadfiles', { method: 'POST', body: form(...files), headers }))
  }

  it('is stored once, and its answer replayed for the same files', async () => {
    app = createApp(make([], { knowledge }).agent, quiet)
    const first = await (await send(['a.md', 'Bees'])).json()
    await call('DELETE', 'files/a.md')
    const again = await send(['a.md', 'Bees'])
    expect([again.headers.get('idempotency-replayed'), await again.json()]).toEqual(['true', first])
    expect(names()).toEqual([])
    await expectProblem(await send(['a.md', 'Wasps']), 422, 'idempotency-key-reused')
    expect(names()).toEqual([])
  })

  it('is 400 where answers are not stored', async () => {
    await expectProblem(await send(['a.md', 'Bees']), 400, 'unsupported')
    expect(names()).toEqual([])
  })
})

describe('a file', () => {
  it('is downloaded as an attachment', async () => {
    put('ü "x".md', 'Bees')
    const response = await call('GET', `files/${encodeURIComponent('ü "x".md')}`)
    expect(await response.text()).toBe('Bees')
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-disposition': `attachment; filename="_ _x_.md"; filename*=UTF-8''%C3%BC%20%22x%22.md`,
      'content-length': '4',
      'x-content-type-options': 'nosniff',
    })
    expect((await call('HEAD', `files/${encodeURIComponent('ü "x".md')}`)).headers.get('content-length')).toBe('4')
  })

  it('that becomes shorter while it is downloaded breaks off', async () => {
    put('a.md', 'x'.repeat(5_000_000))
    const response = await call('GET', 'files/a.md')
    put('a.md', 'short')
    await expect(response.text()).rejects.toThrow('has become shorter')
  })

  it('that is empty is downloaded', async () => {
    put('a.md', '')
    const response = await call('GET', 'files/a.md')
    expect([response.status, await response.text()]).toEqual([200, ''])
  })

  it('is deleted from the folder and the index', async () => {
    await upload(['a.md', 'Bees'])
    expect(await (await call('DELETE', 'files/a.md')).json()).toEqual({ message: 'File a.md deleted successfully.' })
    expect(names()).toEqual([])
    expect(await knowledge.files()).toEqual([])
  })

  it('is renamed in the folder and the index', async () => {
    await upload(['a.md', 'Bees'])
    const renamed = await call('PUT', 'files/a.md/b.txt')
    expect(await renamed.json()).toEqual({ message: 'File a.md renamed to b.txt successfully.' })
    expect(names()).toEqual(['b.txt'])
    expect(await knowledge.files()).toEqual(['b.txt'])
  })

  it.each([
    ['24 onto another', 'files/a.md/b.md', 409, 'file-exists'],
    ['24 onto itself', 'files/a.md/a.md', 409, 'file-exists'],
    ['25 that is missing', 'files/x.md/y.md', 404, 'not-found'],
    ['21 to a path', 'files/a.md/..%2fb.md', 400, 'invalid-filename'],
    ['21 from a path', 'files/..%2fa.md/b.md', 400, 'invalid-filename'],
    ['to a type that is not read', 'files/a.md/a.exe', 400, 'file-type-not-allowed'],
    ['to a hidden one', 'files/a.md/.a.md', 400, 'invalid-filename'],
    ['to a type of another content', 'files/c.pdf/c.md', 400, 'file-type-mismatch'],
  ])('%s is not renamed', async (_, path, status, code) => {
    put('a.md', 'a')
    put('b.md', 'b')
    put('c.pdf', '%PDF-1.7')
    await expectProblem(await call('PUT', path), status, code)
    expect(names().map((name) => readFileSync(join(knowledge.folder, name), 'utf8'))).toEqual(['a', 'b', '%PDF-1.7'])
  })

  it('that cannot be read as the type of its new name keeps the old one', async () => {
    put('a.md', 'BROKEN')
    await knowledge.sync()
    const { detail } = await expectProblem(await call('PUT', 'files/a.md/a.txt'), 422, 'unprocessable-file')
    expect(detail).toBe('"a.txt" cannot be read: It is damaged.')
    expect(names()).toEqual(['a.md'])
    expect(await knowledge.records?.()).toMatchObject([{ file: 'a.md', status: 'corrupt' }])
    expect((await call('PUT', 'files/a.md/b.md')).status).toBe(200)
    expect(names()).toEqual(['b.md'])
  })

  it('from a Mac, whose name is decomposed, has one name', async () => {
    const [onDisk, composed] = ['Café.md'.normalize('NFD'), encodeURIComponent('Café.md')]
    put(onDisk, 'Bees')
    expect(await (await call('GET', `files/${composed}`)).text()).toBe('Bees')
    expect(await (await upload(['Café.md', 'Wasps'])).json()).toMatchObject({
      filenames: ['Café.md'],
      details: [{ name: 'Café.md', status: 'ok' }],
    })
    expect(names()).toEqual([onDisk])
    expect(readFileSync(join(knowledge.folder, onDisk), 'utf8')).toBe('Wasps')
    put('a.md', 'a')
    await expectProblem(await call('PUT', `files/a.md/${composed}`), 409, 'file-exists')
    expect((await call('PUT', `files/${composed}/b.md`)).status).toBe(200)
    put(onDisk, 'Bees')
    expect((await call('DELETE', `files/${encodeURIComponent(onDisk)}`)).status).toBe(200)
    expect(names()).toEqual(['a.md', 'b.md'])
  })

  it('is renamed once by two requests for the same name', async () => {
    put('a.md', 'a')
    put('b.md', 'b')
    const statuses = await Promise.all([call('PUT', 'files/a.md/c.md'), call('PUT', 'files/b.md/c.md')])
    expect(statuses.map(({ status }) => status).sort()).toEqual([200, 409])
    expect(
      names()
        .map((name) => readFileSync(join(knowledge.folder, name), 'utf8'))
        .sort(),
    ).toEqual(['a', 'b'])
  })

  it.each(['GET', 'DELETE'])('20 22 25 of a bad or unknown name → 400, 404 (%s)', async (method) => {
    for (const name of [
      '..%2f..%2fx',
      '%00',
      'a%00.md',
      'CON',
      'x'.repeat(300),
      'a%E2%80%AE.md',
      'a%ff.md',
      '..%5cx',
      '%2e%2e%2f',
    ]) {
      await expectProblem(await call(method, `files/${name}`), 400, 'invalid-filename')
    }
    for (const name of ['missing.md', '%zz', 'a.md%20x'])
      await expectProblem(await call(method, `files/${name}`), 404, 'not-found')
    if (method === 'DELETE') await expectProblem(await call(method, 'files/'), 400, 'invalid-filename')
  })

  it('23 that is a link, a folder or a pipe is not found, and its target untouched', async () => {
    writeFileSync(join(folder.path, 'target.md'), 'secret')
    symlinkSync(join(folder.path, 'target.md'), join(knowledge.folder, 'link.md'))
    mkdirSync(join(knowledge.folder, 'folder.md'))
    for (const name of ['link.md', 'folder.md']) {
      for (const [method, path] of [
        ['GET', name],
        ['DELETE', name],
        ['PUT', `${name}/new.md`],
      ]) {
        await expectProblem(await call(method ?? '', `files/${path}`), 404, 'not-found')
      }
    }
    expect(existsSync(join(knowledge.folder, 'link.md'))).toBe(true)
    expect(readFileSync(join(folder.path, 'target.md'), 'utf8')).toBe('secret')
    expect(await (await call('GET', 'files')).text()).not.toContain('link.md')
  })

  it('of another type is listed as unsupported, and hidden ones are not listed', async () => {
    put('a.doc', 'x')
    put('.hidden.md', 'x')
    expect(await (await call('GET', 'files')).json()).toMatchObject({
      files: ['a.doc'],
      details: [{ name: 'a.doc', status: 'unsupported' }],
    })
  })
})

describe('a passage', () => {
  it('has its place, and the text around it', async () => {
    await upload(['a.md', '# Bees'])
    const id = knowledge.ids.get('a.md')
    expect(await (await call('GET', `passages/${id}`)).json()).toEqual({
      file: 'a.md',
      page: null,
      row: null,
      heading: null,
      start: 2,
      end: 6,
      quote: 'Bees',
      before: '# ',
      after: '',
      stale: false,
    })
    expect(await (await call('GET', `passages/${id}?context=0`)).json()).toMatchObject({ before: '' })
  })

  it.each(['unknown', 'x'.repeat(10_000), '%00', '..%2f'])('%s → 404', async (id) => {
    await expectProblem(await call('GET', `passages/${id}`), 404, 'not-found')
  })

  it('of another user, or of one of several folders, is 404 where users have their own', async () => {
    app = appWith({ perUserFiles: true })
    const body = form(['a.md', '# Bees'])
    body.append('user_id', 'ada')
    expect((await app.request('/api/v1/uploadfiles/', { method: 'POST', body })).status).toBe(200)
    const [id] = knowledge.ids.values()
    expect(await (await call('GET', `passages/${id}?user_id=ada`)).json()).toMatchObject({
      file: 'a.md',
      quote: 'Bees',
    })
    await expectProblem(await call('GET', `passages/${id}?user_id=bob`), 404, 'not-found')
    const other = folderKnowledge(join(folder.path, 'other'))
    const swarm = { ...fakeAgent(), agents: [knowledge, other].map((one) => ({ knowledge: one })) }
    app = createApp(swarm, { ...quiet, perUserFiles: true })
    await expectProblem(await call('GET', `passages/${id}?user_id=ada`), 404, 'not-found')
  })

  it.each(['-1', '10001', 'x', '1.5', ''])('with the context "%s" → 422', async (context) => {
    await expectProblem(await call('GET', `passages/x?context=${context}`), 422, 'invalid-field')
  })
})

describe('an agent without files', () => {
  it('says how to give it some', async () => {
    app = createApp(fakeAgent(), quiet)
    const answers = [
      await upload(['a.md', 'x']),
      await call('GET', 'files'),
      await call('GET', 'files/a.md'),
      await call('DELETE', 'files/a.md'),
      await call('PUT', 'files/a.md/b.md'),
      await call('POST', 'create_index', { index_name: 'fake' }),
    ]
    for (const answer of answers) {
      expect((await expectProblem(answer, 404, 'not-found')).detail).toContain('`retrieve: true`')
    }
    await expectProblem(await call('GET', 'passages/x'), 404, 'not-found')
  })

  it('is a swarm whose members have different folders; the same folder is the files of the swarm', async () => {
    const other = folderKnowledge(join(folder.path, 'other'))
    const swarm = (...all: FolderKnowledge[]) => ({ ...fakeAgent(), agents: all.map((one) => ({ knowledge: one })) })
    app = createApp(swarm(knowledge, other), quiet)
    await expectProblem(await call('GET', 'files'), 404, 'not-found')
    app = createApp(swarm(knowledge, knowledge), quiet)
    expect((await upload(['a.md', 'x'])).status).toBe(200)
  })
})
