import { describe, expect, it } from 'vitest'
import { cliFolder } from '../../__fixtures__/cli-folder.ts'
import { hasTmux, Terminal } from '../../__fixtures__/terminal.ts'

const { folder, write, agentkit } = cliFolder()

/** A file whose agent is answered by these turns. */
function scripted(turns: string, options = ''): string {
  return `import { Agent, tool } from 'agentkit'
import { scriptedModel } from '@agentkit/testing'
const pay = tool({ name: 'pay', description: 'Pays.', input: { type: 'object' }, needsApproval: true, execute: () => 'paid' })
const look = tool({ name: 'look', description: 'Looks.', input: { type: 'object' }, execute: () => { console.log('looking'); return 'seen' } })
console.log('The file is loaded.')
export const agent = new Agent({ name: 'Clerk', functions: [pay, look], model: scriptedModel(${turns}), sessions: ':memory:', ${options} })
`
}

write('agent.ts', scripted(`['Hello.']`))
write('looks.ts', scripted(`[{ toolCalls: [{ name: 'look' }] }, 'I see.']`))
write('pays.ts', scripted(`[{ text: 'One moment.', toolCalls: [{ name: 'pay' }] }]`))
write('cut.ts', scripted(`[{ text: 'Hel', finishReason: 'length' }]`))
write('filtered.ts', scripted(`[{ text: 'Hel', finishReason: 'content-filter' }]`))
write('budget.ts', scripted(`[{ toolCalls: [{ name: 'look' }] }, 'Never.']`, 'budget: { modelCalls: 1 }'))
write('steps.ts', scripted(`[{ text: 'So far.', toolCalls: [{ name: 'look' }] }, 'Never.']`, 'maxSteps: 1'))
write('stuck.ts', scripted(`Array.from({ length: 20 }, () => ({ toolCalls: [{ name: 'look' }] }))`, ''))
write('fails.ts', scripted(`[() => { throw new Error('no model') }]`, 'retry: { attempts: 1 }'))
write(
  'leaks.ts',
  `import { AgentKitError } from 'agentkit'\n${scripted(`[new AgentKitError('quota', 'No money for sk-proj-1234567890abcdef.')]`)}`,
)
write(
  'throws.ts',
  "import { AgentKitError } from 'agentkit'\nthrow new AgentKitError('auth', 'No access for sk-proj-1234567890abcdef.')",
)
const problems = "new AgentKitError('invalid-config', 'Two problems:\\n- one\\r\\n- two \\u001b[2J')"
write('lists.ts', `import { AgentKitError } from 'agentkit'\n${scripted(`[${problems}]`)}`)
write('throws-list.ts', `import { AgentKitError } from 'agentkit'\nthrow ${problems}`)
write('hostile.ts', scripted(`['\\u001b[2J\\u001b]52;c;cm0=\\u0007 a\\rb \\u202e \\u009b31m']`))
write('waits.ts', scripted(`[() => { console.log('called'); return new Promise(() => {}) }]`))
write(
  'nokey.ts',
  `import { Agent } from 'agentkit'\nexport const agent = new Agent({ name: 'A', functions: [], sessions: ':memory:' })\n`,
)
write(
  'named.ts',
  `import { Agent } from 'agentkit'\nexport const agent = new Agent({ name: 'A', functions: [], model: 'mistral/mistral-large-2512', sessions: ':memory:' })\n`,
)

describe('agentkit run', () => {
  it('prints only the answer; the output of the file and its tools goes to standard error', async () => {
    expect(await agentkit(['run', 'Hi'])).toEqual({ code: 0, out: 'Hello.', error: 'The file is loaded.' })
    const looked = await agentkit(['run', 'looks.ts', 'What is there?'])
    expect(looked).toEqual({ code: 0, out: 'I see.', error: 'The file is loaded.\nlooking' })
  })

  it('says where a run that waits is decided', async () => {
    const alone = await agentkit(['run', 'pays.ts', 'Hi'])
    expect(alone.error).toContain('To be asked, ask in agentkit chat.')
    const inSession = await agentkit(['run', 'pays.ts', 'Hi', '--user', 'ann', '--session', "Bob's file"])
    const chat = String.raw`agentkit chat pays.ts --user ann --session 'Bob'\''s file'`
    expect(inSession.error).toContain(`To be asked, type /waiting in ${chat}.`)
  })

  it('reads the question from standard input, with a file and without', async () => {
    expect(await agentkit(['run'], { input: 'Hi\n' })).toMatchObject({ code: 0, out: 'Hello.' })
    expect(await agentkit(['run', 'looks.ts'], { input: 'Hi' })).toMatchObject({ code: 0, out: 'I see.' })
    const long = await agentkit(['run'], { input: 'x'.repeat(4 * 1_024 * 1_024 + 1) })
    expect(long).toMatchObject({ code: 2, error: expect.stringContaining('has more than 4 MiB') })
    // Also where a dash says so: an empty one is refused.
    for (const words of [['-'], ['looks.ts', '-']]) {
      const { code, error } = await agentkit(['run', ...words], { input: ' \n' })
      expect({ code, error }).toEqual({ code: 2, error: expect.stringContaining('The question is empty.') })
    }
  })

  it('recognizes a question that cannot be a path', async () => {
    // 100 characters, and 300 bytes.
    expect(await agentkit(['run', '请告诉我'.repeat(25)])).toMatchObject({ code: 0, out: 'Hello.' })
    expect(await agentkit(['run', 'a'.repeat(5_000)])).toMatchObject({ code: 0, out: 'Hello.' })
  })

  it('prints the body of POST /api/v1/chat with --json', async () => {
    const { code, out } = await agentkit(['run', 'Hi', '--json', '--user', 'ann', '--session', 's'])
    expect(code).toBe(0)
    expect(out.split('\n')).toHaveLength(1)
    expect(JSON.parse(out)).toEqual({
      answer: 'Hello.',
      user_id: 'ann',
      session_id: 's',
      run_id: expect.stringMatching(/^run_/),
      finish_reason: 'stop',
      usage: expect.objectContaining({ input_tokens: expect.any(Number) }),
      cost: null,
      sources: [],
      approvals: [],
    })
  })

  it('prints an event a line with --stream', async () => {
    const { code, out } = await agentkit(['run', 'looks.ts', 'Hi', '--stream'])
    const events = out.split('\n').map((line) => JSON.parse(line))
    expect(code).toBe(0)
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1))
    expect(events.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['run-start', 'tool-call', 'tool-result', 'run-end']),
    )
    expect(events.at(-1)).toMatchObject({ type: 'run-end', finishReason: 'stop', text: 'I see.' })
  })

  it.each([
    ['cut.ts', 0, 'Hel', 'warning: the answer is cut'],
    ['filtered.ts', 0, 'Hel', "warning: the provider's content filter"],
    ['budget.ts', 3, '', 'budget'],
    ['steps.ts', 3, 'So far.', 'max-steps'],
    ['stuck.ts', 3, '', 'no-progress'],
    ['pays.ts', 4, 'One moment.', 'pay {} waits for approval (apr_'],
    ['fails.ts', 1, '', 'provider-error'],
  ])('of %s exits with %i', async (file, code, out, said) => {
    const ended = await agentkit(['run', file, 'Hi'])
    expect(ended).toMatchObject({ code, out })
    expect(ended.error).toContain(said)
  })

  it('prints the problem of a failed run, and of an agent that cannot be made, with --json', async () => {
    const failed = await agentkit(['run', 'fails.ts', 'Hi', '--json'])
    expect(failed.code).toBe(1)
    expect(JSON.parse(failed.out)).toMatchObject({ status: 502, code: 'provider-error', detail: expect.any(String) })
    const keyless = await agentkit(['run', 'named.ts', 'Hi', '--json'])
    expect(keyless.code).toBe(1)
    expect(JSON.parse(keyless.out)).toMatchObject({ code: 'missing-key' })
    expect(keyless.error).toContain('Set MISTRAL_API_KEY')
  })

  it.each([
    ['leaks.ts', 'quota: No money for [redacted].'],
    ['throws.ts', 'No access for [redacted].'],
  ])('shows no key of what a model or the file throws: %s', async (file, line) => {
    const { code, error } = await agentkit(['run', file, 'Hi'])
    expect([code, error.split('\n').at(-1)]).toEqual([1, line])
  })

  it.each([
    ['lists.ts', 'invalid-config: Two problems:'],
    ['throws-list.ts', 'Two problems:'],
  ])('shows the lines of a message as lines: %s', async (file, first) => {
    const { code, error } = await agentkit(['run', file, 'Hi'])
    expect([code, ...error.split('\n').slice(-3)]).toEqual([1, first, '- one', '- two \\u001b[2J'])
  })

  it('answers without a model and a key by the offline model, and prints a notice', async () => {
    const { code, out, error } = await agentkit(['run', 'nokey.ts', 'Hello, who are you?'])
    expect(code).toBe(0)
    expect(out).toContain('offline')
    expect(error).toContain(
      'offline/extractive, which is not a language model. Set LLMPROVIDER_API_KEY or OPENAI_API_KEY',
    )
  })

  it('escapes characters that a terminal would interpret, in text and in JSON', async () => {
    const { out } = await agentkit(['run', 'hostile.ts', 'Hi'])
    expect(out).toBe('\\u001b[2J\\u001b]52;c;cm0=\\u0007 a\\u000db \\u202e \\u009b31m')
    const { out: json } = await agentkit(['run', 'hostile.ts', 'Hi', '--json'])
    expect(json).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u)
    expect(JSON.parse(json).answer).toContain('\u202e \u009b31m')
  })

  it('ends with 130 at Ctrl-C, with the run aborted', async () => {
    const { code, out } = await agentkit(['run', 'waits.ts', 'Hi', '--json'], {
      onStart: (child) => child.stderr?.on('data', (text) => String(text).includes('called') && child.kill('SIGINT')),
    })
    expect(code).toBe(130)
    expect(JSON.parse(out)).toMatchObject({ code: 'aborted' })
  })

  it('ends with 130 at Ctrl-C while the file is loaded', async () => {
    write('never.ts', `console.log('called'); await new Promise(() => setInterval(() => {}, 1000))`)
    const { code, out } = await agentkit(['run', 'never.ts', 'Hi', '--json'], {
      onStart: (child) => child.stderr?.on('data', (text) => String(text).includes('called') && child.kill('SIGINT')),
    })
    expect(code).toBe(130)
    expect(JSON.parse(out)).toMatchObject({ code: 'aborted' })
  })

  it('ends silently when its reader leaves', async () => {
    const { code, error } = await agentkit(['run', 'looks.ts', 'Hi', '--stream'], {
      onStart: (child) => child.stdout?.once('data', () => child.stdout?.destroy()),
    })
    expect({ code, error }).toEqual({ code: 0, error: expect.not.stringMatching(/EPIPE|at /) })
  })

  it.each([
    ['an empty question', ['run', ''], 'The question is empty.'],
    ['no question', ['run'], 'The question is empty.'],
    ['a missing file', ['run', 'agnt.ts', 'Hi'], 'Did you mean "agent.ts"?'],
    ['an unknown agent', ['run', 'Hi', '--agent', 'clrk'], 'Did you mean "clerk"?'],
    ['an unknown option', ['run', 'Hi', '--jsn'], '(Did you mean --json?)'],
    ['an empty user', ['run', 'Hi', '--user', ''], '--user has 1 to 128 characters'],
    ['two formats', ['run', 'Hi', '--json', '--stream'], "cannot be used with option '--stream'"],
    ['unquoted words', ['run', 'agent.ts', 'what', 'is', 'this'], 'too many arguments'],
    ['a misspelt command', ['rnu', 'Hi'], '(Did you mean run?)'],
  ])('refuses %s, with 2', async (_, words, problem) => {
    const { code, out, error } = await agentkit(words)
    expect({ code, out, error }).toEqual({ code: 2, out: '', error: expect.stringContaining(problem) })
  })
})

describe('the agent of a file', () => {
  const two = (exports: string): string => `import { Agent } from 'agentkit'
import { scriptedModel } from '@agentkit/testing'
const make = (name) => new Agent({ name, functions: [], model: scriptedModel([name]), sessions: ':memory:' })
${exports}
`
  write('default.ts', two(`export const agent = make('B'); export default make('A')`))
  write('named-agent.ts', two(`export const other = make('A'); export const agent = make('B')`))
  write('several.ts', two(`export const one = make('A'); export const two = make('B')`))
  write(
    'serves.ts',
    two(`const one = make('A'); const { url } = await one.run({ port: 1 }); console.log('url:' + url + '.')`),
  )
  it.each([
    ['the default export', ['default.ts', 'Hi'], 'A'],
    ['the export `agent`', ['named-agent.ts', 'Hi'], 'B'],
    ['that of --agent', ['named-agent.ts', 'Hi', '--agent', 'a'], 'A'],
    ['the one on which it calls run()', ['serves.ts', 'Hi'], 'A'],
  ])('is %s', async (_, words, answer) => {
    expect(await agentkit(['run', ...words])).toMatchObject({ code: 0, out: answer })
  })

  it('is asked for where several may be meant', async () => {
    const { code, error } = await agentkit(['run', 'several.ts', 'Hi'])
    expect(error).toBe('"several.ts" has the agents a, b. Pass one by --agent <id>, or export one as default.')
    expect(code).toBe(2)
  })

  it('is the one of --agent among several of the configuration', async () => {
    write('tables/agentkit_config.toml', '[clerk]\nmodel = "offline/extractive"\n["Sales Team"]\n')
    const cwd = write('tables/x', '').slice(0, -2)
    const ask = (...words: string[]) => agentkit(['run', 'Hello, who are you?', ...words], { cwd })
    expect(await ask('--agent', 'clerk')).toMatchObject({ code: 0, out: expect.stringContaining('offline') })
    expect(await ask('--agent', 'sales-team')).toMatchObject({ code: 0 })
    expect(await ask('--agent', 'clark')).toMatchObject({
      code: 2,
      error: expect.stringContaining('has no agent "clark". Did you mean "clerk"?'),
    })
    expect(await ask()).toMatchObject({
      code: 2,
      error: expect.stringContaining('has the agents clerk, Sales Team. Pass one by --agent <id>'),
    })
  })

  it('is chosen without a warning about the tables of the others', async () => {
    write('others/agentkit_config.toml', '[clerk]\nmodel = "offline/extractive"\n[sales]\n[defalts]\n')
    const cwd = write('others/x', '').slice(0, -2)
    const { code, error } = await agentkit(['run', 'Hello, who are you?', '--agent', 'clerk'], { cwd })
    expect(code).toBe(0)
    expect(error).not.toContain('[sales]')
    expect(error).toContain('[defalts] belongs to no agent. Did you mean [defaults]?')
  })

  it('is found in src, and in the configuration', async () => {
    write('in-src/package.json', '{ "type": "module" }')
    write('in-src/src/app.ts', two(`export const a = make('In src')`))
    expect(await agentkit(['run', 'Hi'], { cwd: write('in-src/x', '').slice(0, -2) })).toMatchObject({ out: 'In src' })
    write('toml/agentkit_config.toml', '[clerk]\nmodel = "offline/extractive"\n')
    const cwd = write('toml/x', '').slice(0, -2)
    expect(await agentkit(['run', 'Hello, who are you?'], { cwd })).toMatchObject({
      code: 0,
      out: expect.stringContaining('offline'),
    })
  })
})

describe.skipIf(!hasTmux)('agentkit run in a terminal', { timeout: 60_000 }, () => {
  it('shows that it works after two seconds, and nothing of that beside the answer', async () => {
    write('slow.ts', scripted(`[() => new Promise((resolve) => setTimeout(resolve, 3_000, 'Slow.'))]`))
    using terminal = new Terminal(['run', 'slow.ts', 'Hi'], { cwd: folder })
    await terminal.shows(/Clerk is working \d s/)
    await terminal.shows('ended with 0')
    expect(terminal.screen()).toMatch(/Slow\.\nended with 0/)
    expect(terminal.screen()).not.toContain('is working')
  })
})
