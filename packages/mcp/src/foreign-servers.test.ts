import { readFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type HttpServer, newServer, oldServer } from './__fixtures__/sdk-servers.ts'
import { call, isRunning, processIds, sdkServer, tempFolder } from './__fixtures__/servers.ts'
import { mcp } from './mcp.ts'
import type { McpOptions } from './options.ts'

type Place = { at: string; era: 'legacy' | 'modern'; http?: () => Promise<HttpServer> }

const places: Place[] = [
  { at: 'SDK 1.x over stdio', era: 'legacy' },
  { at: 'SDK 2.x over stdio', era: 'modern' },
  { at: 'SDK 1.x over HTTP', era: 'legacy', http: () => oldServer({ sessions: true }) },
  { at: 'SDK 2.x over HTTP', era: 'modern', http: newServer },
]

describe.each(places)('a server of the $at', ({ era, http }) => {
  let temp: ReturnType<typeof tempFolder>
  let options: McpOptions & { pins: string }
  let server: HttpServer | undefined
  beforeEach(async () => {
    vi.stubEnv('CI', '')
    vi.stubEnv('NODE_ENV', 'test')
    vi.spyOn(console, 'warn').mockImplementation(() => {})
    temp = tempFolder()
    options = sdkServer(era === 'modern' ? 'new' : 'old', temp.folder)
    server = await http?.()
    if (server) options = { url: server.url, name: 'far', pins: options.pins }
  })
  afterEach(async () => {
    await server?.close()
    if (!server) await vi.waitFor(() => expect(processIds(temp.folder).filter(isRunning)).toEqual([]), 20_000)
    temp[Symbol.dispose]()
    vi.unstubAllEnvs()
    vi.restoreAllMocks()
  })

  it('lists its tools, and returns text, structured content, images and progress', async () => {
    const tools = await mcp(options)
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['echo', 'weather', 'picture', 'steps']))
    expect(await call(tools, 'echo', { text: 'hello' })).toContain('hello')
    expect(await call(tools, 'weather')).toEqual({ degrees: 7 })
    expect(await call(tools, 'picture')).toEqual([
      { type: 'image', mediaType: 'image/png', base64: expect.stringMatching(/^iVBOR/) },
    ])
    expect(await call(tools, 'steps')).toBe('three steps')
    const many = Array.from({ length: 20 }, (_, index) => call(tools, 'echo', { text: `text ${index}` }))
    const answers = await Promise.all(many)
    expect(answers.map((answer) => String(answer).split('\n')[0])).toEqual(many.map((_, index) => `text ${index}`))
    await tools.close()
  })

  it('learns that a call is cancelled, and answers the next', async () => {
    const tools = await mcp(options)
    const before = Number(await call(tools, 'cancelled'))
    const controller = new AbortController()
    const waiting = call(tools, 'wait', {}, controller.signal)
    // The call before has been answered, so that this one is on its way.
    await call(tools, 'cancelled')
    controller.abort(new Error('stopped'))
    await expect(waiting).rejects.toThrow('stopped')
    await vi.waitFor(async () => expect(Number(await call(tools, 'cancelled'))).toBe(before + 1), 20_000)
    await tools.close()
  })

  it('keeps its era in the lock file, so that it is asked once', async () => {
    await (await mcp(options)).close()
    expect(JSON.parse(readFileSync(options.pins, 'utf8')).servers[String(options.name)]).toMatchObject({ era })
    const requests = server?.requests.length ?? processIds(temp.folder).length
    await (await mcp(options)).close()
    const again = (server?.requests.length ?? processIds(temp.folder).length) - requests
    if (server) expect(again).toBeLessThanOrEqual(requests)
    else expect(again).toBe(1)
  })

  if (http) return

  it('is started again for the call after it died', async () => {
    const tools = await mcp(options)
    const started = processIds(temp.folder).length
    await expect(call(tools, 'die')).rejects.toThrow('it may have been executed')
    expect(await call(tools, 'echo', { text: 'again' })).toContain('again')
    expect(processIds(temp.folder)).toHaveLength(started + 1)
    await tools.close()
  })
})
