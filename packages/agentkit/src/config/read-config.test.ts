import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AgentKitError } from '@agentkit/core'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Config } from './config.ts'
import { readConfig } from './read-config.ts'

describe('readConfig', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'agentkit-config-'))
    vi.stubEnv('OPENAI_BASE_URL', undefined)
  })
  afterEach(() => {
    vi.unstubAllEnvs()
    vi.restoreAllMocks()
    rmSync(folder, { recursive: true })
  })

  const path = (): string => join(folder, 'agentkit_config.toml')
  const read = (toml: string): Config => {
    writeFileSync(path(), toml)
    return readConfig(path())
  }
  const failure = (toml: string): AgentKitError => {
    try {
      read(toml)
    } catch (error) {
      expect(error).toBeInstanceOf(AgentKitError)
      return error as AgentKitError
    }
    throw new Error('The configuration was accepted.')
  }

  it.each([
    [
      '[docs]\nretrieve = true\nrequired_exts = [".exe"]',
      3,
      'one or more of ".csv", ".docx", ".md", ".mdx", ".pdf", ".txt"',
    ],
    ['[defaults]\nrequired_exts = []', 2, '"required_exts" must be'],
    ['[retriever]\nmax_file_mb = 0.0000001', 2, '"max_file_mb" must be a number of megabytes, at least 0.000001'],
    ['[retriever]\nmax_file_mb = inf', 2, '"max_file_mb" must be'],
    ['[retriever]\nparse_memory_mb = 64', 2, '"parse_memory_mb" must be a number of megabytes, at least 128'],
    ['[retriever]\nparse_cpu_seconds = 0', 2, '"parse_cpu_seconds" must be a number of seconds, from 1 to'],
    ['[retriever]\nparse_processes = 1.5', 2, '"parse_processes" must be a whole number from 1 to 64'],
    ['[retriever]\nfirst_answer_seconds = 0', 2, '"first_answer_seconds" must be a number of seconds, above 0'],
  ])('reports key and line of a value that no retriever accepts: %j', (toml, line, problem) => {
    expect(failure(toml).message).toContain(`${path()}:${line}: `)
    expect(failure(toml).message).toContain(problem)
  })

  it('accepts extensions in upper case and without a dot', () => {
    expect(read('[docs]\nrequired_exts = ["MD", ".Pdf"]').agents.get('docs')?.required_exts).toEqual(['MD', '.Pdf'])
  })

  it('accepts a queue of 0 runs', () => {
    expect(read('[server]\nmax_queued_runs = 0').server).toEqual({ max_queued_runs: 0 })
  })

  it('reads every key', () => {
    const config = read(`
[defaults]
model = "offline/extractive"
timeout = 1.5

["Research Team"]
model = "openai/gpt-5.4-mini"
instruction = """
Be brief.
"""
description = ""
sample_prompts = ["One?", "Two?"]
timeout = 60
tool_timeout = 10
max_steps = 3
enable_multi_modal = false

[sample_prompts]
prompts = ["Hello?"]

[server]
host = "0.0.0.0"
port = 0
auth_tokens_env = "TOKENS"
cors_origins = ["https://example.com"]
`)
    expect(config).toEqual({
      path: path(),
      retention: {},
      webhooks: {},
      retriever: {},
      embedding: {},
      providers: new Map(),
      mcp: new Map(),
      defaults: { model: 'offline/extractive', timeout: 1.5 },
      agents: new Map([
        [
          'Research Team',
          {
            model: 'openai/gpt-5.4-mini',
            instruction: 'Be brief.\n',
            description: '',
            sample_prompts: ['One?', 'Two?'],
            timeout: 60,
            tool_timeout: 10,
            max_steps: 3,
            enable_multi_modal: false,
          },
        ],
      ]),
      samplePrompts: { prompts: ['Hello?'] },
      server: { host: '0.0.0.0', port: 0, auth_tokens_env: 'TOKENS', cors_origins: ['https://example.com'] },
      warnings: [],
    })
  })

  it('is empty without `configPath` and without a default file', () => {
    vi.spyOn(process, 'cwd').mockReturnValue(folder)
    expect(readConfig()).toEqual({
      defaults: {},
      agents: new Map(),
      samplePrompts: {},
      server: {},
      retention: {},
      webhooks: {},
      retriever: {},
      embedding: {},
      providers: new Map(),
      mcp: new Map(),
      warnings: [],
    })
  })

  it('reads ./agentkit_config.toml without `configPath`', () => {
    writeFileSync(path(), '[defaults]\nmax_steps = 7\n')
    vi.spyOn(process, 'cwd').mockReturnValue(folder)
    expect(readConfig().defaults).toEqual({ max_steps: 7 })
  })

  it('refuses a file that is missing', () => {
    expect(() => readConfig(join(folder, 'absent.toml'))).toThrow(
      expect.objectContaining({
        code: 'invalid-config',
        message: `${join(folder, 'absent.toml')}: there is no such file. Create it, or correct \`configPath\`.`,
      }),
    )
  })

  it('refuses a file that cannot be read', () => {
    mkdirSync(path())
    expect(() => readConfig(path())).toThrow(
      expect.objectContaining({
        code: 'invalid-config',
        message: `${path()}: this is a folder (EISDIR). Pass the path of a TOML file in it.`,
      }),
    )
  })

  it('finds the line of a key below a long instruction that has its name in every line', () => {
    const instruction = 'Ask for the name and the timeout of the user.\n'.repeat(2_000)
    const { message } = failure(`[one]\ninstruction = """\n${instruction}"""\n[two]\n"timeout" = "60s"\n`)
    expect(message).toContain(`${path()}:2005: "timeout" must be`)
  })

  it.each([
    { toml: '[defaults]\nmodel = \n', line: 2 },
    { toml: '[defaults]\nmax_steps = 1\nmax_steps = 2\n', line: 3 },
    { toml: '[defaults\n', line: 1 },
    { toml: '\n\nmodel', line: 3 },
  ])('refuses what is no TOML, with the line: $toml', ({ toml, line }) => {
    const { code, message } = failure(toml)
    expect(code).toBe('invalid-config')
    expect(message).toContain(`${path()}:${line}: invalid TOML: `)
    expect(message).not.toContain('\n')
  })

  describe.each(['defaults', 'weather'])('in [%s]', (table) => {
    it.each([
      'model = 3',
      'model = ""',
      'model = []',
      'model = ["gpt-5.4-mini", 3]',
      'model = ["gpt-5.4-mini", "nobody-knows-me"]',
      'budget = 3',
      'budget = { dollars = 3 }',
      'budget = { usd = "3" }',
      'budget = { tokens = -1 }',
      'on_busy = "wait"',
      'model = "nobody-knows-me"',
      'instruction = true',
      'description = 1',
      'sample_prompts = "Hello?"',
      'sample_prompts = ["Hello?", 3]',
      'timeout = "60"',
      'timeout = 0',
      'timeout = -1',
      'timeout = inf',
      'timeout = nan',
      'timeout = 3000000',
      'timeout = 2026-11-21',
      'tool_timeout = "10s"',
      'max_steps = 0',
      'max_steps = 1.5',
      'max_steps = "20"',
      'max_steps = inf',
      'enable_multi_modal = "false"',
      'enable_multi_modal = 0',
      'environment = true',
      'ollama_server_url = 11434',
      'temperature = "cold"',
      'temperature = -0.1',
      'temperature = "1"',
      'reasoning = "maximum"',
      'max_output_tokens = 0.5',
      'model = {}',
    ])('refuses %s', (line) => {
      const { code, message } = failure(`# a comment\n[${table}]\n\n${line}\n`)
      expect(code).toBe('invalid-config')
      expect(message).toContain(`${path()}:4: `)
    })
  })

  it.each(['prefix = "a b"', `prefix = "${'a'.repeat(33)}"`, 'headers = { "a b" = "x" }'])(
    'reports the line of a value that no MCP server can have: %s',
    (line) => {
      const { code, message } = failure(`[mcp.files]\ncommand = "files"\n${line}\n`)
      expect(code).toBe('invalid-config')
      expect(message).toContain(`${path()}:3: "${line.split(' ')[0]}" must be `)
    },
  )

  it.each([
    'host = 1',
    'host = ""',
    'port = "8000"',
    'port = 65536',
    'port = -1',
    'port = 1.5',
    'auth_tokens_env = ["A"]',
    'cors_origins = "*"',
    'max_runs = 0',
    'max_queued_runs = -1',
    'max_user_runs = 0',
    'max_user_daily_usd = 0',
    'max_user_daily_tokens = 1.5',
    'approvals = "anyone"',
    'trusted_proxies = "10.0.0.1"',
    'base_path = 5',
    'dialects = ["soap"]',
    'dialects = "openai"',
    'docs = "no"',
    'log = "jason"',
    'deadline_ms = 0',
  ])('refuses %s in [server]', (line) => {
    const { code, message } = failure(`[server]\n${line}\n`)
    expect(code).toBe('invalid-config')
    expect(message).toContain(`${path()}:2: `)
  })

  it.each(['retention_days = -1', 'retention_days = "30"', 'max_sessions_per_user = 1.5', 'max_disk_mb = -1'])(
    'refuses %s in [retention]',
    (line) => {
      const { code, message } = failure(`[retention]\n${line}\n`)
      expect(code).toBe('invalid-config')
      expect(message).toContain(`${path()}:2: `)
    },
  )

  it('refuses sample prompts that are not a list', () => {
    expect(failure('[sample_prompts]\nprompts = "Hello?"').message).toContain(`${path()}:2: "prompts" must be a list`)
  })

  it('reports the fix of a wrong type', () => {
    expect(failure('[defaults]\ntimeout = "60"').message).toBe(
      `${path()}:2: "timeout" must be a number of seconds, above 0 and at most 2147483. Write for example timeout = 60.`,
    )
  })

  it.each([
    ['server = 3', '[server]'],
    ['defaults = "x"', '[defaults]'],
    ['[[server]]\nport = 1', '[server]'],
    ['[[weather]]\nmodel = "offline/extractive"', '[weather]'],
  ])('refuses %s, which is no table', (toml, fix) => {
    const { code, message } = failure(toml)
    expect(code).toBe('invalid-config')
    expect(message).toContain(`${path()}:1: `)
    expect(message).toContain(`Write it as ${fix}`)
  })

  it.each([
    ['defaults', 'modle', 'model'],
    ['defaults', 'max_step', 'max_steps'],
    ['defaults', 'enableMultiModal', 'enable_multi_modal'],
    ['weather', 'timout', 'timeout'],
    ['weather', 'instructions', 'instruction'],
    ['server', 'prot', 'port'],
    ['server', 'cors_origin', 'cors_origins'],
    ['server', 'max_user_run', 'max_user_runs'],
    ['retention', 'retention_day', 'retention_days'],
    ['sample_prompts', 'prompt', 'prompts'],
  ])('warns of [%s] %s with the nearest known key', (table, key, nearest) => {
    const { warnings } = read(`[${table}]\n${key} = 1\n`)
    expect(warnings).toEqual([`${path()}:2: "${key}" is not a key of [${table}]. Did you mean "${nearest}"?`])
  })

  it('reports a table within a table of an agent, with the right form', () => {
    expect(read('[agents.weather]\nmax_steps = 1\n').warnings).toEqual([
      `${path()}:1: "weather" is not a key of [agents]. The table of an agent "weather" is [weather].`,
    ])
  })

  it.each([
    [
      '[server]\nmax_steps = 3',
      '"max_steps" is not a key of [server]. It belongs below [defaults], or below the table',
    ],
    ['[clerk]\nport = 80', '"port" is not a key of [clerk]. It belongs below [server].'],
    ['[clerk]\ntelemetry = "otlp"', '"telemetry" is not a key of [clerk]. It belongs below [defaults].'],
    ['[server]\nretention_days = 30', '"retention_days" is not a key of [server]. It belongs below [retention].'],
  ])('says where a key belongs that stands below the wrong table: %j', (toml, warning) => {
    expect(read(toml).warnings).toEqual([expect.stringContaining(warning)])
  })

  it('reports a value without quotes, with the fix', () => {
    expect(failure('[defaults]\nmodel = openai/gpt-5.4-mini\n').message).toBe(
      `${path()}:2: invalid TOML: invalid value. Texts are in quotes: model = "openai/gpt-5.4-mini".`,
    )
  })

  it.each([
    ['[weather]\nsystem_prompt = "x"', 'Did you mean "instruction"?'],
    ['[defaults]\nmax_turns = 3', 'Did you mean "max_steps"?'],
    ['[weather]\nstop_when = 3', 'Did you mean "max_steps"?'],
    ['[weather]\noutput_type = "x"', 'It is an option of code alone: new Agent({ output }).'],
    ['[weather]\nretries = 2', 'It is an option of code alone: new Agent({ retry }).'],
    ['[weather]\nsession = "ada"', '`session` is `sessionId` of a run'],
    ['[weather]\ntop_p = 1', '`top_p` has no counterpart here'],
    ['[weather]\nopenai_api_key = "x"', 'Keys are environment variables, or lines of .env: OPENAI_API_KEY=…'],
    ['[weather]\nbase_url = "x"', 'Write a table: [providers.<name>] with kind = "openai-compatible" and base_url.'],
    ['[weather]\nmcp_servers = "x"', 'Write a table for each: [mcp.<name>].'],
    ['[weather]\nhandoffs = ["a"]', 'Write collaboration = "handoff"'],
    ['max_turns = 3', 'Did you mean "max_steps" below [defaults]?'],
    ['hooks = "x"', 'It is an option of code alone: new Agent({ hooks }).'],
    ['port = 3', 'It belongs below [server].'],
  ])('knows the words of other libraries: %j', (toml, warning) => {
    expect(read(toml).warnings).toEqual([expect.stringContaining(warning)])
  })

  it.each([
    ['[defaults]\nsessions = "postgres://db.example.com/agents"', 'new Agent({ sessions }).'],
    ['[weather]\ntimeout_ms = 60000', 'new Agent({ timeoutMs }).'],
    ['[weather]\nmodelSettings = { stop = ["."] }', 'new Agent({ modelSettings }).'],
  ])('says of an option of code alone that it is one: %j', (toml, option) => {
    expect(read(toml).warnings).toEqual([expect.stringContaining(`It is an option of code alone: ${option}`)])
  })

  it.each([
    ['[server]\ncors = "*"', 'Did you mean "cors_origins"?'],
    ['[server]\nauth = "TOKENS"', 'Did you mean "auth_tokens_env"?'],
  ])('knows the options of a server that have other names in code: %j', (toml, warning) => {
    expect(read(toml).warnings).toEqual([expect.stringContaining(warning)])
  })

  it('writes the table of `cache` as TOML has it', () => {
    expect(failure('[defaults]\ncache = "on"\n').message).toContain('"off" or { key = "…" }')
  })

  it('warns of a secret of webhooks without their address', () => {
    expect(read('[webhooks]\nsecret_env = "SECRET"\n').warnings).toEqual([
      `${path()}:1: [webhooks] has no "url", so nothing is sent.`,
    ])
    expect(read('[webhooks]\nurl = "https://example.com/"\nsecret_env = "SECRET"\n').warnings).toEqual([])
  })

  it('names the first 20 of many unknown keys, and counts the others', () => {
    const { warnings } = read(`[clerk]\n${Array.from({ length: 2_000 }, (_, index) => `odd_${index} = 1\n`).join('')}`)
    expect(warnings).toHaveLength(21)
    expect(warnings[19]).toContain(':21: "odd_19" is not a key of [clerk].')
    expect(warnings[20]).toBe(`${path()}: 1980 more entries have no effect.`)
  })

  it('lists the keys when none is close', () => {
    expect(read('[sample_prompts]\nsomething_else = 1').warnings).toEqual([
      `${path()}:2: "something_else" is not a key of [sample_prompts]. Its keys are prompts.`,
    ])
  })

  it.each([
    ['[embedding]\nmodle = "x"', 'Did you mean "model"?'],
    ['[retriever]\nindex_pth = "x"', 'Did you mean "index_path"?'],
  ])('warns of a misspelt key of a table about files: %j', (toml, warning) => {
    expect(read(toml).warnings).toEqual([expect.stringContaining(warning)])
  })

  it('reads a top-level key as a default, which [defaults] overrides', () => {
    const config = read('model = "offline/extractive"\nmax_steps = 3\n[defaults]\nmax_steps = 5\n')
    expect(config.warnings).toEqual([])
    expect(config.defaults).toEqual({ model: 'offline/extractive', max_steps: 5 })
    expect(() => read('max_steps = "three"\n')).toThrow(`${path()}:1: "max_steps" must be a whole number`)
  })

  it.each([
    ['budget', 'budget = { model_calls = 1 }', { model_calls: 1 }],
    ['cache', 'cache = { key = "library" }', { key: 'library' }],
    ['memory', '[memory]\nnotes = false', { notes: false }],
  ] as const)('reads a top-level %s that is a table as a default, and no agent', (key, toml, value) => {
    const { defaults, agents, warnings } = read(toml)
    expect(defaults[key]).toEqual(value)
    expect(agents.size).toBe(0)
    expect(warnings).toEqual([])
  })

  it('refuses a mistake in a top-level budget, which limits nothing otherwise', () => {
    expect(failure('budget = { dollars = 1 }').message).toContain(`${path()}:1: "budget" must be`)
  })

  it('reads the table of an agent whose name is that of a key', () => {
    const { agents, defaults } = read('[memory]\ninstruction = "You remember."\nretreive = true')
    expect(agents.get('memory')).toEqual({ instruction: 'You remember.' })
    expect(defaults).toEqual({})
  })

  it('warns of an unknown top-level key', () => {
    expect(read('modle = "offline/extractive"\n').warnings).toEqual([
      `${path()}:1: "modle" is outside of every table. Did you mean "model" below [defaults]?`,
    ])
  })

  it('refuses a file that is not UTF-8', () => {
    writeFileSync(path(), Buffer.from('[defaults]\ninstruction = "caf\xe9"\n', 'latin1'))
    expect(() => readConfig(path())).toThrow(`${path()}: the file is not UTF-8`)
  })

  it('treats names of JavaScript properties as plain names', () => {
    const config = read(`
[__proto__]
model = "offline/extractive"
[constructor]
__proto__ = 1
toString = 2
[server]
__proto__ = { port = 1 }
`)
    expect([...config.agents.keys()]).toEqual(['__proto__', 'constructor'])
    expect(config.server).toEqual({})
    expect(config.server.port).toBeUndefined()
    expect(config.warnings).toHaveLength(3)
    expect(({} as { model?: string }).model).toBeUndefined()
  })

  it('finds the line of a key in every notation', () => {
    expect(failure('defaults.timeout = "x"').message).toContain(':1: ')
    expect(failure('[defaults]\n"timeout" = "x"').message).toContain(':2: ')
    expect(failure('defaults = {\n  max_steps = 1, timeout = "x" }').message).toContain(':2: ')
    expect(failure('[defaults]\r\nmax_steps = 1\r\ntimeout = "x"\r\n').message).toContain(':3: ')
    expect(failure('[defaults]\ninstruction = """\ntimeout = 3\n"""\ntimeout = "x"').message).toContain(':5: ')
    expect(failure('[a]\ntimeout = 1\n[b]\nsample_prompts = [\n  1,\n]').message).toContain(':4: ')
  })
})
