import { execFile } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { inspect, promisify } from 'node:util'
import { Agent, type ToolLike } from '@agentkit/core'
import { scriptedModel } from '@agentkit/testing'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { call, everything, hostile, isRunning, processIds, tempFolder } from './__fixtures__/servers.ts'
import { mcp } from './mcp.ts'
import { checkServer, type McpOptions } from './options.ts'

let warn: ReturnType<typeof vi.spyOn>
beforeEach(() => {
  vi.stubEnv('CI', '')
  vi.stubEnv('NODE_ENV', 'test')
  warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
})
afterEach(() => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})

describe('the tools of a real server over stdio', () => {
  const options: McpOptions = { command: process.execPath, args: [everything, 'stdio'], pins: false }

  it('are called by an agent, and closed with it', async () => {
    const tools = await mcp({ ...options, tools: ['echo', 'get-sum'], prefix: 'every' })
    expect(tools.map(({ name }) => name)).toEqual(['every_echo', 'every_get-sum'])
    const turn = { toolCalls: [{ name: 'every_get-sum', input: { a: 2, b: 3 } }] }
    const agent = new Agent({ name: 'Clerk', functions: [tools], model: scriptedModel([turn, 'Five.']) })
    const { messages, text } = await agent.stream('Add.').result
    expect(text).toBe('Five.')
    expect(messages.find(({ role }) => role === 'tool')?.content).toBe('The sum of 2 and 3 is 5.')
    await agent.close()
    await expect(call(tools, 'every_echo', { message: 'hi' })).rejects.toMatchObject({ code: 'network' })
  })

  it('return text, structured content, images and resources, and wait as long as there is progress', async () => {
    // Enough for the start of the server on a busy machine, and less than its slow tool takes.
    const tools = await mcp({ ...options, timeoutMs: 5000 })
    expect(await call(tools, 'echo', { message: 'hi' })).toBe('Echo: hi')
    expect(await call(tools, 'get-structured-content', { location: 'Chicago' })).toMatchObject({ temperature: 36 })
    expect(await call(tools, 'get-tiny-image')).toContainEqual(
      expect.objectContaining({ type: 'image', mediaType: 'image/png' }),
    )
    expect(await call(tools, 'get-resource-links', { count: 1 })).toContain('[resource demo://')
    const slow = await call(tools, 'trigger-long-running-operation', { duration: 7, steps: 14 })
    expect(slow).toContain('completed')
    await tools.close()
  })

  it('ask for input, which is answered by onElicit and otherwise declined', async () => {
    const asked: unknown[] = []
    const answering = await mcp({
      ...options,
      onElicit(request, context) {
        asked.push(request.message, context.server, context.tool)
        return { action: 'accept', content: { name: 'Ada' } }
      },
      name: 'everything',
    })
    expect(await call(answering, 'trigger-elicitation-request')).toContain('Ada')
    expect(asked).toEqual([expect.any(String), 'everything', 'trigger-elicitation-request'])
    await answering.close()
    const declining = await mcp(options)
    expect(await call(declining, 'trigger-elicitation-request')).toContain('requested input, which was declined')
    await declining.close()
  })

  it('see the variables of `env` and no others', async () => {
    vi.stubEnv('SECRET_OF_PARENT', 'parent')
    const tools = await mcp({ ...options, env: { OWN: 'child' }, tools: ['get-env'] })
    const env = JSON.parse(String(await call(tools, 'get-env')))
    expect(env).toMatchObject({ OWN: 'child', PATH: expect.any(String) })
    const allowed = ['HOME', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'USER', 'OWN']
    expect(Object.keys(env).filter((name) => !allowed.includes(name))).toEqual([])
    await tools.close()
  })
})

/** The context of a call, for a script. */
const context = '{ signal: new AbortController().signal }'

describe('a process', () => {
  it('keeps no program alive, and ends with it', async () => {
    using temp = tempFolder()
    const script = join(temp.folder, 'app.ts')
    // A timer that is left would keep the program for longer than this test may take.
    const options = { ...hostile('ignores the end of its input and signals', temp.folder), timeoutMs: 600_000 }
    const source = JSON.stringify(new URL('./mcp.ts', import.meta.url))
    const work = `const [echo] = await mcp(${JSON.stringify(options)})\nconsole.log(await echo.execute({ text: 'called' }, ${context}))`
    writeFileSync(script, `import { mcp } from ${source}\n${work}\n`)
    const env = { PATH: process.env.PATH, NODE_OPTIONS: '--conditions=@agentkit/source' }
    const { stdout } = await promisify(execFile)(process.execPath, [script], { env })
    expect(stdout).toBe('called\n')
    await vi.waitFor(() => expect(processIds(temp.folder).filter(isRunning)).toEqual([]), { timeout: 60_000 })
  })

  it('is closed before the program ends that awaits it', async () => {
    using temp = tempFolder()
    const script = join(temp.folder, 'app.ts')
    const server = JSON.stringify(hostile('correct', temp.folder))
    const source = JSON.stringify(new URL('./mcp.ts', import.meta.url))
    writeFileSync(
      script,
      `import { mcp } from ${source}\nconst tools = await mcp(${server})\nawait tools.close()\nconsole.log('closed')\n`,
    )
    const env = { PATH: process.env.PATH, NODE_OPTIONS: '--conditions=@agentkit/source' }
    const { stdout } = await promisify(execFile)(process.execPath, [script], { env })
    expect(stdout).toBe('closed\n')
  })

  it('is asked for its era once, which the lock file keeps', async () => {
    using temp = tempFolder()
    const name = 'an end at an unknown request'
    const first = await mcp(hostile(name, temp.folder))
    expect(await call(first, 'echo', { text: 'hello' })).toBe('hello')
    await first.close()
    expect(processIds(temp.folder)).toHaveLength(2)
    const second = await mcp(hostile(name, temp.folder))
    await second.close()
    expect(processIds(temp.folder)).toHaveLength(3)
  })

  it('is started again for the call after it died, and the call that it died in is not repeated', async () => {
    using temp = tempFolder()
    const tools = await mcp(hostile('a death in mid-call', temp.folder))
    const started = processIds(temp.folder).length
    await expect(call(tools, 'echo')).rejects.toThrow('it may have been executed')
    expect(processIds(temp.folder)).toHaveLength(started)
    await expect(call(tools, 'echo')).rejects.toThrow('it may have been executed')
    expect(processIds(temp.folder)).toHaveLength(started + 1)
    await tools.close()
  })

  it('leaves a tool out that does not follow the protocol, and names it and its part', async () => {
    using temp = tempFolder()
    const names: Record<string, RegExp> = {
      'the name of a number': /Tool 1 of the MCP server "hostile" is left out: its `name` does not follow/,
      'a list of nothing': /Tool 1 of .* is left out: it does not follow the protocol/,
      'a schema of 2,000 levels': /The tool "echo" of .* is left out: it is nested too deep/,
      'annotations that are no object': /The tool "echo" of .* is left out: its `annotations` does not follow/,
    }
    for (const [name, warning] of Object.entries(names)) {
      const tools = await mcp(hostile(name, temp.folder))
      expect(tools.map((tool) => tool.name)).toEqual(['good'])
      expect('warnings' in tools && String(tools.warnings)).toMatch(warning)
      await tools.close()
    }
  })

  it('has its long lists and descriptions cut, and says so', async () => {
    using temp = tempFolder()
    const many = await mcp(hostile('1,000 tools', temp.folder))
    expect(many).toHaveLength(256)
    expect('warnings' in many && many.warnings).toEqual([
      expect.stringContaining('lists more tools than are read: the first 256 are used'),
    ])
    await many.close()
    const long = await mcp(hostile('a description of 1 MB', temp.folder))
    expect(long[0]?.description).toMatch(/^x{3999}…$/)
    await long.close()
  })

  it('that asks without end has 8 requests open at most', async () => {
    using temp = tempFolder()
    const held = Promise.withResolvers<{ action: 'decline' }>()
    const onElicit = vi.fn(() => held.promise)
    const tools = await mcp({ ...hostile('a flood of requests for input', temp.folder), onElicit })
    expect(await call(tools, 'echo')).toMatch(/^done\n/)
    expect(onElicit).toHaveBeenCalledTimes(8)
    held.resolve({ action: 'decline' })
    await tools.close()
  })

  it('that asks for input while no call runs is declined', async () => {
    using temp = tempFolder()
    const onElicit = vi.fn(() => ({ action: 'accept' as const, content: {} }))
    const tools = await mcp({ ...hostile('a request for input outside of a call', temp.folder), onElicit })
    expect(tools.map(({ name }) => name)).toEqual(['echo'])
    expect(onElicit).not.toHaveBeenCalled()
    await tools.close()
  })

  it('receives the cancellation of a call by its signal', async () => {
    using temp = tempFolder()
    const tools = await mcp(hostile('an answer that never comes', temp.folder))
    const controller = new AbortController()
    const pending = call(tools, 'echo', {}, controller.signal)
    controller.abort(new Error('stopped'))
    await expect(pending).rejects.toThrow('stopped')
    await tools.close()
  })
})

describe('pins', () => {
  it('are written at the first use, which is printed once', async () => {
    using temp = tempFolder()
    const options = hostile('correct', temp.folder)
    await (await mcp(options)).close()
    expect(JSON.parse(readFileSync(options.pins, 'utf8'))).toEqual({
      version: 1,
      servers: { hostile: { era: 'legacy', tools: { echo: expect.stringMatching(/^sha256-/) } } },
    })
    expect(warn).toHaveBeenCalledWith(expect.stringContaining('pinned 1 tool of the MCP server "hostile"'))
    warn.mockClear()
    await (await mcp(options)).close()
    expect(warn).not.toHaveBeenCalled()
  })

  it('leave a tool out of the run that differs, and the result names it', async () => {
    using temp = tempFolder()
    await (await mcp(hostile('correct', temp.folder))).close()
    const tools = await mcp(hostile('instructions in the description', temp.folder))
    const model = scriptedModel(['Hello.'])
    const agent = new Agent({ name: 'Clerk', functions: [tools], model })
    const { warnings, finishReason } = await agent.stream('Hi').result
    expect(finishReason).toBe('stop')
    expect(model.requests[0]?.tools ?? []).toEqual([])
    expect(warnings.join()).toMatch(
      /no tool "echo".*has changed it.*agentkit tools pins accept "hostile" "echo" --pins /,
    )
    // The lock file is not that of this folder.
    const [, pins = ''] = /--pins (".*")$/.exec(warnings.join()) ?? []
    expect(resolve(JSON.parse(pins))).toBe(hostile('correct', temp.folder).pins)
    await agent.close()
  })

  it.each([{ CI: 'true' }, { NODE_ENV: 'production' }])('that are missing end the run with %o', async (env) => {
    using temp = tempFolder()
    for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value)
    const options = hostile('correct', temp.folder)
    const agent = new Agent({ name: 'Clerk', functions: [await mcp(options)], model: scriptedModel(['Hello.']) })
    const { error } = await agent.stream('Hi').result
    expect(error?.code).toBe('invalid-config')
    expect(error?.message).toContain('"echo"')
    expect(error?.message).toContain(options.pins)
    expect(existsSync(options.pins)).toBe(false)
    await agent.close()
  })

  it('of a file that is none are invalid-config', async () => {
    using temp = tempFolder()
    const options = hostile('correct', temp.folder)
    const none = ['{"version":2}', '{"version":1,"servers":{"hostile":5}}', ' '.repeat(4_194_305)]
    for (const text of none) {
      writeFileSync(options.pins, text)
      await expect(mcp(options)).rejects.toThrow('is not a lock file of MCP tools')
    }
  })
})

describe('options', () => {
  it.each<[McpOptions, string, RegExp]>([
    [{}, 'invalid-config', /`url` or a `command`/],
    [{ url: 'http://127.0.0.1:1/', command: 'node' }, 'invalid-config', /Give one of them/],
    [{ name: 'files' }, 'invalid-config', /^The MCP server "files" has a `url` or a `command`/],
    [{ url: 'ftp://127.0.0.1/' }, 'invalid-config', /http/],
    [{ url: 'http://ada:secret@127.0.0.1/' }, 'invalid-config', /without a user/],
    [
      { transport: {} } as object,
      'invalid-argument',
      /^Unknown option `transport`\. `transport` is `url`, or `command` and `args`, here/,
    ],
    [{ servers: {} } as object, 'invalid-argument', /one call of mcp\(\) for each server/],
    [{ command: 'no-such-command-here' }, 'invalid-config', /no command "no-such-command-here"/],
    [{ command: 'node', headers: {} }, 'invalid-config', /`headers` has no effect/],
    [{ url: 'http://127.0.0.1:9/', headers: { 'x y': 'secret' } }, 'invalid-argument', /names of HTTP headers/],
    [{ url: 'http://127.0.0.1:9/mcp' }, 'network', /cannot be connected/],
    [{ url: 'http://no-such-host.invalid/mcp' }, 'network', /cannot be connected \((?:ENOTFOUND|EAI_AGAIN)\)/],
    // As JavaScript passes it.
    [{ command: 'node', prefix: 1 as unknown as string }, 'invalid-argument', /`prefix` is letters/],
    [{ command: process.execPath, args: ['-e', '0'] }, 'network', /with its `args` by hand .* the variables of `env`/],
    [{ url: 'http://:secret@127.0.0.1/' }, 'invalid-config', /without a user/],
    [{ command: 'node', prefix: 'two words' }, 'invalid-argument', /`prefix` is letters/],
    [{ command: 'node', prefix: 'a'.repeat(33) }, 'invalid-argument', /`prefix` is letters/],
    [{ command: 'node', timeoutMs: 0 }, 'invalid-argument', /`timeoutMs` is a number of milliseconds above 0/],
    // A timer of more would end at once.
    [{ command: 'node', timeoutMs: 2 ** 31 }, 'invalid-argument', /`timeoutMs` is/],
    // As JavaScript passes them.
    [{ command: 'node', env: { KEY: 1 } as never }, 'invalid-argument', /`env` is an object of texts/],
    [{ url: 'http://127.0.0.1:9/', headers: { key: 1 } as never }, 'invalid-argument', /names of HTTP headers/],
    [{ command: 'node', needsApproval: 'all' as never }, 'invalid-argument', /`needsApproval` is true, false/],
    [{ command: 'node', pins: '' }, 'invalid-argument', /`pins` is the path/],
    [{ command: 'node', needsAproval: true } as McpOptions, 'invalid-argument', /needsApproval/],
  ])('%o are %s', async (options, code, message) => {
    const error = await mcp({ pins: false, ...options }).catch((thrown: Error & { code: string }) => thrown)
    expect(error).toMatchObject({ code, message: expect.stringMatching(message) })
    expect(String(error)).not.toContain('secret')
  })

  it.each([
    ['npx', ['-y', '@modelcontextprotocol/server-filesystem', 'docs'], 'npx server-filesystem'],
    ['/usr/bin/python3', ['-u', 'server.py'], 'python3 server.py'],
    ['figures', ['--api-key', 's3cr3t'], 'figures'],
    ['figures', ['--token', 's3cr3t', 'serve'], 'figures serve'],
    ['sh', ['-c', 'KEY=s3cr3t npx figures'], 'sh'],
    ['env', ['KEY=s3cr3t', 'figures'], 'env figures'],
    ['/usr/bin/npx -y figures --token s3cr3t', [], 'npx'],
  ])('without a name are named by %s %j, not by what may be a secret', (command, args, name) => {
    expect(checkServer({ command, args }).name).toBe(name)
  })

  it('whose command has arguments in it are invalid-config, which names `args` and shows none of them', async () => {
    const error = await mcp({ command: 'npx -y figures --token s3cr3t', pins: false }).catch((thrown: Error) => thrown)
    expect(error).toMatchObject({
      code: 'invalid-config',
      message:
        'The MCP server "npx" cannot be started: there is no command of that name with arguments. Pass them as `args`.',
    })
    expect(inspect(error, { depth: 20 })).not.toContain('s3cr3t')
  })

  it('that name a missing tool are invalid-config with the nearest', async () => {
    using temp = tempFolder()
    const server = hostile('correct', temp.folder)
    await expect(mcp({ ...server, tools: ['ecko'] })).rejects.toThrow('Did you mean "echo"?')
    await expect(mcp({ ...server, needsApproval: ['ecko'] })).rejects.toThrow('Did you mean "echo"?')
  })

  it('with a name that the agent has twice are invalid-config, which names `prefix`', async () => {
    using temp = tempFolder()
    const tools = await mcp(hostile('correct', temp.folder))
    const others = await mcp(hostile('correct', temp.folder))
    const make = (functions: ToolLike[]) => new Agent({ name: 'Clerk', functions, model: scriptedModel([]) })
    expect(() => make([tools, others])).toThrow(/Two tools are named "echo".*`prefix`/)
    expect(() => make([tools, tools])).not.toThrow()
    await tools.close()
    await others.close()
  })
})
