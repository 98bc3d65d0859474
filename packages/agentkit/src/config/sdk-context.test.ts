import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { useFolder } from '../__fixtures__/use-folder.ts'
import { Agent } from '../agents/agent.ts'
import { storePlace } from '../cli/common/store-place.ts'
import { SDKContext } from './sdk-context.ts'
import { storeName } from './store-names.ts'

const folder = useFolder()

describe('SDKContext', () => {
  it('has its warnings, and prints each once', () => {
    const configPath = folder.write('config.toml', '[defaults]\nmodle = "x"\n')
    const context = new SDKContext({ configPath })
    const warning = `${configPath}:2: "modle" is not a key of [defaults]. Did you mean "model"?`
    expect(context.warnings).toEqual([warning])
    context.warn(warning)
    expect(context.warnings).toEqual([warning])
    expect(folder.printed).toEqual([`agentkit: ${warning}`])
  })

  it('prints warnings and notices in one line without control characters', () => {
    const context = new SDKContext()
    context.warn('a\u001b[31m\n')
    context.notice('b\r\u202e')
    expect(context.warnings).toEqual(['a\u001b[31m\n'])
    expect(folder.printed).toEqual(['agentkit: a\\u001b[31m\\u000a', 'agentkit: b\\u000d\\u202e'])
  })

  it('prints a notice once, and remembers no more than 1,000', () => {
    const context = new SDKContext()
    for (const number of [0, 0, 1]) context.notice(`${number} files`)
    expect(folder.printed).toEqual(['agentkit: 0 files', 'agentkit: 1 files'])
    for (let number = 2; number <= 1_000; number++) context.notice(`${number} files`)
    context.notice('0 files')
    expect(folder.printed).toHaveLength(1_002)
  })

  it('prints nothing for a valid configuration', () => {
    folder.write('agentkit_config.toml', '[defaults]\nmodel = "offline/extractive"\n')
    folder.write('.env', 'UNRELATED_VALUE=1\n')
    const written = vi.spyOn(process.stdout, 'write')
    expect(new SDKContext().warnings).toEqual([])
    expect(folder.printed).toEqual([])
    expect(written).not.toHaveBeenCalled()
  })

  it('refuses a missing file', () => {
    expect(() => new SDKContext({ configPath: 'absent.toml' })).toThrow(
      expect.objectContaining({ code: 'invalid-config', message: expect.stringContaining(folder.path('absent.toml')) }),
    )
  })

  it('warns of tables without an agent at the first run', () => {
    folder.write('agentkit_config.toml', '[wether]\nmax_steps = 1\n[default]\n["My Agent"]\n[other]\n')
    const context = new SDKContext()
    context.settingsOf({ name: 'Weather', id: 'weather' })
    context.settingsOf({ name: 'My Agent', id: 'my-agent' })
    expect(context.warnings).toEqual([])
    context.warnOfStrayTables()
    context.warnOfStrayTables()
    expect(context.warnings).toEqual([
      expect.stringContaining('[wether] belongs to no agent. Did you mean [weather]?'),
      expect.stringContaining('[default] belongs to no agent. Did you mean [defaults]?'),
      expect.stringContaining('[other] belongs to no agent. A table is found by'),
    ])
  })

  it('warns once in a process, and of no table that an agent of another context has taken', () => {
    const print = vi.spyOn(console, 'warn').mockImplementation(() => {})
    folder.write('agentkit_config.toml', '[defaults]\nmax_stepz = 1\n[one]\n[two]\n[three]\n')
    const contexts = ['One', 'Two'].map((name) => {
      const context = new SDKContext()
      context.settingsOf({ name, id: name.toLowerCase() })
      return context
    })
    for (const context of contexts) context.warnOfStrayTables()
    const printed = print.mock.calls.flat()
    expect(printed).toEqual([expect.stringContaining('"max_stepz"'), expect.stringContaining('[three] belongs to no')])
    expect(contexts.map(({ warnings }) => warnings.length)).toEqual([2, 2])
  })

  it('keeps one session store for each path', async () => {
    const context = new SDKContext()
    expect(context.sessionsAt('a.db')).toBe(context.sessionsAt(folder.path('a.db')))
    expect(context.sessionsAt()).toBe(context.sessionsAt('agentkit-data/sessions.db'))
    expect(context.sessionsAt()).not.toBe(context.sessionsAt('a.db'))
    await context.close()
  })

  it.each([
    ['file:./memory.db', './memory.db'],
    ['file:memory.db?authToken=hunter2', 'memory.db'],
    ['file::memory:', ':memory:'],
    ['file:///var/lib/agent.db', '/var/lib/agent.db'],
    ['sqlite:agent.db', 'agent.db'],
  ])('names the path in the address %s, and makes no file of that name', (address, path) => {
    expect(() => new SDKContext().sessionsAt(address)).toThrow(
      expect.objectContaining({
        code: 'invalid-config',
        message: `\`sessions\` is the path of a SQLite file or postgres://…. Write the path alone: "${path}".`,
      }),
    )
    expect(() => storePlace(address)).toThrow(`--sessions is the path of a SQLite file: write "${path}".`)
  })

  it.each(['mysql://ann:hunter2@localhost/agentkit', 'https://example.com', 'postgresx://localhost'])(
    'refuses %s as a session store, without its password',
    (address) => {
      const refusal = expect.objectContaining({
        code: 'invalid-config',
        message: expect.not.stringContaining('hunter2'),
      })
      expect(() => new SDKContext().sessionsAt(address)).toThrow(refusal)
    },
  )

  it('keeps one store for each address of Postgres, and connects to none before it is used', async () => {
    const context = new SDKContext()
    const address = 'postgres://ann:hunter2@127.0.0.1:1/agentkit'
    const store = context.sessionsAt(address)
    expect(context.sessionsAt(address)).toBe(store)
    expect(context.sessionsAt('postgresql://127.0.0.1:1/other')).not.toBe(store)
    expect(storeName(store)).toBe('postgres://ann@127.0.0.1:1/agentkit')
    await context.close()
  })

  it.each(['', 5, null])('refuses %j as `configPath`', (configPath) => {
    const options = { configPath } as { configPath: string }
    const error = expect.objectContaining({
      code: 'invalid-argument',
      message: expect.stringContaining('`configPath`'),
    })
    expect(() => new SDKContext(options)).toThrow(error)
    expect(() => new Agent({ name: 'Clerk', functions: [], ...options })).toThrow(error)
  })

  it.each(['', ' '])('refuses %j as the path of sessions', (path) => {
    const message = expect.stringContaining('`sessions` is empty')
    const refusal = expect.objectContaining({ code: 'invalid-argument', message })
    expect(() => new SDKContext().sessionsAt(path)).toThrow(refusal)
  })

  it('keeps sessions in memory on request', async () => {
    const context = new SDKContext()
    const store = context.sessionsAt(':memory:')
    await store.list({ agentId: 'a', userId: 'u' })
    expect(readdirSync('.')).toEqual([])
    await context.close()
  })

  it('refuses use after it is closed, also twice', async () => {
    const context = new SDKContext()
    const store = context.sessionsAt('a.db')
    const closed = vi.spyOn(store, 'close')
    await context.close()
    await context.close()
    expect(closed).toHaveBeenCalledTimes(1)
    expect(() => context.sessionsAt('a.db')).toThrow(expect.objectContaining({ code: 'invalid-argument' }))
  })
})

describe('.env', () => {
  afterEach(() => {
    for (const name of ['AGENTKIT_TEST_A', 'AGENTKIT_TEST_B', 'AGENTKIT_TEST_C']) delete process.env[name]
  })

  it('sets unset variables only, and overrides none, not even an empty one', () => {
    process.env.AGENTKIT_TEST_A = 'from outside'
    process.env.AGENTKIT_TEST_B = ''
    folder.write('.env', 'AGENTKIT_TEST_A=file\nAGENTKIT_TEST_B=file\nAGENTKIT_TEST_C="with # and spaces"\n')
    new SDKContext()
    expect(process.env.AGENTKIT_TEST_A).toBe('from outside')
    expect(process.env.AGENTKIT_TEST_B).toBe('')
    expect(process.env.AGENTKIT_TEST_C).toBe('with # and spaces')
  })

  it.each(['utf16le', 'latin1'] as const)('is warned of as %s', (encoding) => {
    writeFileSync(folder.path('.env'), Buffer.from('\ufeffAGENTKIT_TEST_A=é\n', encoding))
    expect(new SDKContext().warnings).toEqual([expect.stringContaining('.env is not UTF-8')])
  })

  it('causes a warning when it cannot be read', () => {
    mkdirSync('.env')
    expect(new SDKContext().warnings).toEqual([expect.stringContaining('.env could not be read')])
  })
})
