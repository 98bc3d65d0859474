import { mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Agent } from '@agentkit/core'
import { serve } from '@agentkit/server'
import { scriptedModel } from '@agentkit/testing'
import { describe, expect, it } from 'vitest'
import { cliFolder } from '../../__fixtures__/cli-folder.ts'
import { hasTmux, Terminal } from '../../__fixtures__/terminal.ts'

const { folder, write } = cliFolder()

// The model waits for files, so that the screen can be looked at in between.
write(
  'agent.ts',
  `import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { Agent, tool } from 'agentkit'
const usage = { inputTokens: 12, outputTokens: 3 }
const pay = tool({ name: 'pay', description: 'Pays an amount.', input: { type: 'object' }, needsApproval: true, execute: (input) => 'paid ' + JSON.stringify(input) })
const wait = tool({ name: 'wait', description: 'Waits.', input: { type: 'object' }, async execute() { while (!existsSync(process.env.GATE)) await sleep(20) } })
const model = {
  id: 'own/slow',
  async *stream({ messages }, signal) {
    const last = messages.at(-1)
    const text = typeof last.content === 'string' ? last.content : JSON.stringify(last.content)
    const parts = []
    const say = (text) => { parts.push({ type: 'text', text }); return { type: 'text-delta', text } }
    let reason = 'stop'
    if (last.role === 'tool' && messages.some(({ content }) => content === 'pay slowly')) {
      yield say('It is paid,')
      while (!existsSync(process.env.GATE)) { signal.throwIfAborted(); await sleep(20) }
    } else if (last.role === 'tool') {
      yield say('The tool says: ' + text)
    } else if (text.includes('pay')) {
      const call = { type: 'tool-call', callId: 'c' + messages.length, name: 'pay', input: { amount: 5, to: 'a person with a rather long name that no narrow terminal can show on one line' } }
      parts.push(call)
      yield call
      reason = 'tool-calls'
    } else if (text.includes('await')) {
      const call = { type: 'tool-call', callId: 'w', name: 'wait', input: {} }
      parts.push(call)
      yield call
      reason = 'tool-calls'
    } else if (text.includes('slow')) {
      yield say('First part,')
      while (!existsSync(process.env.GATE)) { signal.throwIfAborted(); await sleep(20) }
      yield say(' second part.')
    } else if (text.includes('thinking')) {
      while (!existsSync(process.env.GATE)) { signal.throwIfAborted(); await sleep(20) }
      yield say('Thought.')
    } else if (text.includes('hostile')) {
      yield say('\\u001b[2J\\u001b]52;c;cm0=\\u0007gone\\rback')
    } else {
      yield say('You said: ' + text.replace(/\\n/g, ' / '))
    }
    yield { type: 'finish', reason, usage, message: { v: 1, role: 'assistant', content: parts } }
  },
}
export const agent = new Agent({ name: 'Clerk', functions: [pay, wait], model, sessions: ':memory:' })
`,
)
write('notes.md', 'The moon is a harsh mistress.\n')

function open(columns = 80, env: Record<string, string> = {}): { terminal: Terminal; gate: string; state: string } {
  const state = mkdtempSync(join(folder, 'state-'))
  const gate = join(state, 'gate')
  const terminal = new Terminal(['chat'], { cwd: folder, columns, env: { XDG_STATE_HOME: state, GATE: gate, ...env } })
  return { terminal, gate, state }
}

describe.skipIf(!hasTmux)('agentkit chat in a terminal', { timeout: 60_000 }, () => {
  it('shows an answer while it arrives, with its usage, and ends with /exit', async () => {
    const { terminal, gate, state } = open()
    using _ = terminal
    await terminal.shows(/Clerk\. \/help lists the commands, Ctrl-D leaves\.\n›/)
    terminal.type('something slow')
    await terminal.shows('First part,')
    expect(terminal.screen()).not.toContain('second')
    writeFileSync(gate, '')
    await terminal.shows(/First part, second part\.\n12 tokens in, 3 out · \d+\.\d s\n›/)
    terminal.type('/cost')
    await terminal.shows('1 answer: 12 tokens in, 3 out.')
    terminal.type('/exit')
    await terminal.shows('ended with 0')
    const history = join(state, 'agentkit/chat-history')
    expect(readFileSync(history, 'utf8')).toBe('something slow\n/cost\n/exit\n')
    expect(statSync(history).mode & 0o777).toBe(0o600)
  })

  it('leaves at a question by Ctrl-D, and says on a line of its own that the call waits', async () => {
    const { terminal } = open()
    using _ = terminal
    await terminal.shows('›')
    terminal.type('pay it')
    await terminal.shows('Run it?')
    terminal.press('C-d')
    await terminal.shows(/no and why:\s*\npay waits for a decision: [\s\S]*ended with 0/)
  })

  it.each([
    ['@./not', '@./notes.md', '@./notes.md'],
    ['@with', '@"with a space.md"', 'The file with a space.md:'],
    ['@"with', '@"with a space.md"', 'The file with a space.md:'],
  ])('completes the name of a file: %s', async (typed, completed, shown) => {
    write('with a space.md', 'Space is big.\n')
    const { terminal } = open()
    using _ = terminal
    await terminal.shows('›')
    terminal.press(typed, 'Tab')
    await terminal.shows(completed)
    terminal.press('Enter')
    await terminal.shows(shown)
  })

  it.each([80, 40])('asks for approvals, and calls the tool once allowed, in %i columns', async (columns) => {
    const { terminal, state } = open(columns)
    using _ = terminal
    await terminal.shows('›')
    terminal.type('pay it')
    const asked = await terminal.shows(/Run it\? \[y\]es, \[n\]o, or no and why:/)
    expect(asked).toContain('pay needs your approval:')
    for (const line of asked.split('\n')) expect(line.length).toBeLessThanOrEqual(columns)
    terminal.type('y')
    await terminal.shows(/The tool says:\s+paid/)
    terminal.type('pay again')
    await terminal.shows(/Run it\?[\s\S]*Run it\?/)
    terminal.type('no, too much')
    await terminal.shows(/too\s+much/)
    await terminal.shows(/out · \d+\.\d s\n›[\s\S]*out · \d+\.\d s\n›/)
    terminal.press('C-d')
    await terminal.shows('ended with 0')
    // Answers to questions are no lines of the chat.
    expect(readFileSync(join(state, 'agentkit/chat-history'), 'utf8')).toBe('pay it\npay again\n')
  })

  it('takes no line for a decision that was typed before it was asked', async () => {
    const { terminal, gate } = open()
    using _ = terminal
    await terminal.shows('›')
    terminal.type('something slow')
    await terminal.shows('First part,')
    terminal.type('pay it')
    terminal.type('y')
    writeFileSync(gate, '')
    await terminal.shows(/Run it\? \[y\]es, \[n\]o, or no and why:$/)
    expect(terminal.screen()).not.toContain('paid')
    terminal.type('n')
    await terminal.shows(/denied[\s\S]*You said: y\n/)
  })

  it('takes a paste of many lines, or of one that is long, as one message', async () => {
    const { terminal, state } = open()
    using _ = terminal
    await terminal.shows('›')
    terminal.paste('one\n\ttwo\nthree')
    await terminal.shows(/› one\n +two\nthree$/)
    expect(terminal.screen()).not.toContain('You said')
    terminal.press('Enter')
    await terminal.shows(/You said: one \/ \s*two \/ three/)
    terminal.press('Up')
    await terminal.shows(/› three$/)
    terminal.press('C-u')
    terminal.paste(`${'long '.repeat(50_000)}end`)
    terminal.press('Enter')
    await terminal.shows(/long end\n12 tokens in/)
    terminal.type('/exit')
    await terminal.shows('ended with 0')
    expect(readFileSync(join(state, 'agentkit/chat-history'), 'utf8')).toContain('one \ttwo three\n')
  })

  it('stops an answer by Ctrl-C and continues, and leaves by two', async () => {
    const { terminal } = open()
    using _ = terminal
    await terminal.shows('›')
    terminal.type('something slow')
    await terminal.shows('First part,')
    terminal.press('C-c')
    await terminal.shows(/stopped\n›/)
    terminal.type('hello')
    await terminal.shows('You said: hello')
    terminal.type('pay it')
    await terminal.shows('Run it?')
    terminal.press('C-c')
    await terminal.shows(/Run it\?[\s\S]*stopped\n›/)
    expect(terminal.screen()).not.toContain('ended with')
    terminal.type('/waiting')
    await terminal.shows('Nothing waits in this conversation.')
    terminal.press('C-c', 'C-c')
    await terminal.shows('ended with 0')
  })

  it('keeps the typed text while an answer is stopped after a decision', async () => {
    const { terminal } = open()
    using _ = terminal
    await terminal.shows('›')
    terminal.type('pay slowly')
    await terminal.shows('Run it?')
    terminal.type('y')
    await terminal.shows('It is paid,')
    terminal.press('n', 'e', 'x', 't')
    terminal.press('C-c')
    await terminal.shows(/stopped\n› next$/)
  })

  it('continues after Ctrl-Z, with the typed text', async () => {
    const { terminal } = open()
    using _ = terminal
    await terminal.shows('›')
    terminal.press('h', 'e', 'l', 'C-z')
    await terminal.shows('› hel')
    terminal.continue()
    terminal.type('lo')
    await terminal.shows('You said: hello')
  })

  it('sends what was typed last in a terminal that cannot move its cursor', async () => {
    // tmux sets TERM for its windows.
    write('cli.mjs', `process.env.TERM = 'dumb'\n`)
    const { terminal } = open(80, { NODE_OPTIONS: `--import ${join(folder, 'cli.mjs')}` })
    using _ = terminal
    await terminal.shows('›')
    terminal.press('-l', 'abc')
    await terminal.shows('› abc')
    terminal.press('C-c')
    await terminal.shows(/again leaves\)\n›/)
    terminal.press('-l', 'hellp')
    terminal.press('BSpace')
    await terminal.shows(/› hell$/)
    terminal.type('o')
    await terminal.shows('You said: hello\n')
    terminal.type('pay it')
    await terminal.shows('Run it?')
    terminal.press('-l', 'ye')
    await terminal.shows(/why: ye$/)
    terminal.press('C-c')
    await terminal.shows(/stopped\n›/)
    terminal.type('next')
    await terminal.shows('You said: next\n')
  })

  it('takes a path and a paste of code for questions, though they begin with "/"', async () => {
    const { terminal } = open()
    using _ = terminal
    await terminal.shows('›')
    terminal.type('/etc/hosts is what?')
    await terminal.shows('You said: /etc/hosts is what?')
    terminal.paste('// Adds.\nconst add = 1')
    terminal.press('Enter')
    await terminal.shows('You said: // Adds. / const add = 1')
    terminal.type('/?')
    await terminal.shows('There is no command /?. /help lists them.')
  })

  it('shows that the agent works when there was no output for two seconds', async () => {
    const { terminal, gate } = open()
    using _ = terminal
    await terminal.shows('›')
    terminal.type('thinking')
    await terminal.shows(/Clerk is working \d+ s/)
    writeFileSync(gate, '')
    await terminal.shows(/› thinking\nThought\.\n12 tokens in/)
    expect(terminal.screen()).not.toContain('is working')
  })

  it('shows that it works while a tool takes longer than two seconds', async () => {
    const { terminal, gate } = open()
    using _ = terminal
    await terminal.shows('›')
    terminal.type('await it')
    await terminal.shows(/→ wait \{\}\nClerk is working \d+ s/)
    writeFileSync(gate, '')
    await terminal.shows(/→ wait \{\}\n← wait .*\nThe tool says: .*\n/)
    expect(terminal.screen()).not.toContain('is working')
  })

  it('keeps the typed text when it is resized, and shows earlier lines with ↑', async () => {
    const { terminal } = open(80)
    using _ = terminal
    await terminal.shows('›')
    terminal.type('first question')
    await terminal.shows('You said: first question')
    terminal.press('-l', 'half a line that is longer than forty columns are')
    await terminal.shows('columns are')
    terminal.resize(40)
    terminal.press('-l', ' wide')
    const wrapped = await terminal.shows(/wide/)
    for (const line of wrapped.split('\n')) expect(line.length).toBeLessThanOrEqual(40)
    terminal.press('Enter')
    await terminal.shows(/You said: half a line that is longer tha\nn forty columns are wide/)
    terminal.press('Up', 'Up', 'Enter')
    await terminal.shows(/You said: first question[\s\S]*You said: first question/)
  })

  it('shows hostile text escaped, in colours or without', async () => {
    const { terminal } = open()
    using _ = terminal
    await terminal.shows('›')
    terminal.type('hostile')
    await terminal.shows('\\u001b[2J\\u001b]52;c;cm0=\\u0007gone\\u000dback')
    expect(terminal.screen()).toContain('Clerk. /help')
  })

  it('sends files, names a missing one, and replaces the last answer', async () => {
    const { terminal } = open()
    using _ = terminal
    await terminal.shows('›')
    terminal.type('read @notes.md')
    await terminal.shows(/You said: [\s\S]*read @notes\.md[\s\S]*moon is a harsh/)
    terminal.type('read @missing.md')
    await terminal.shows('There is no file "missing.md".')
    terminal.type('/retry')
    await terminal.shows(/moon[\s\S]*moon/)
    terminal.type('/tools')
    await terminal.shows('pay: Pays an amount.')
    terminal.type('/files')
    await terminal.shows('The agent has no files.')
    terminal.type('/sessions')
    await terminal.shows(/1 {2}\d{4}-\d\d-\d\d \d\d:\d\d {2}read @notes\.md.*\(this one\)/s)
    terminal.type('/new')
    await terminal.shows('A new conversation begins.')
    terminal.type('/sesions')
    await terminal.shows('There is no command /sesions. Did you mean /sessions?')
  })

  it('asks for the token of a server, and does not show it', async () => {
    const token = 'a-token-of-at-least-16-characters'
    const agent = new Agent({ name: 'Remote', functions: [], model: scriptedModel(['Hello.']) })
    const server = await serve(agent, { port: 0, log: () => {}, auth: { tokens: { [token]: 'ann' } } })
    const state = mkdtempSync(join(folder, 'state-'))
    using terminal = new Terminal(['chat', server.url], { cwd: folder, env: { XDG_STATE_HOME: state } })
    await terminal.shows('Token:')
    terminal.type(token)
    await terminal.shows(/Remote\. \/help[^\n]*\n›/)
    terminal.type('Hi')
    await terminal.shows('Hello.')
    expect(terminal.screen()).not.toContain(token)
    terminal.type('/exit')
    await terminal.shows('ended with 0')
    expect(readFileSync(join(state, 'agentkit/chat-history'), 'utf8')).toBe('Hi\n/exit\n')
    await server.close()
  })
})
