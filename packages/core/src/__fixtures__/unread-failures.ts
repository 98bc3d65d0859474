// One process per case of unread-failures.test.ts: what it prints on stderr is what a person sees.
import { scriptedModel } from '@agentkit/testing'
import { Agent, AgentKitError, type AgentRun, tool } from '../index.ts'
import { handBackRuns, reported } from '../internal.ts'
import { memoryDisk } from './memory-runs.ts'

const failure = new AgentKitError('overloaded', 'The model is busy.\nTry \u001b[2Jlater.', { retryable: false })

function runOf(options: { signal?: AbortSignal; timeoutMs?: number } = {}): AgentRun<undefined> {
  return agentOf(failure).stream('Go', options)
}

function agentOf(...turns: Parameters<typeof scriptedModel>[0]): Agent {
  return new Agent({ name: 'Test', model: scriptedModel(turns), retry: { attempts: 1 } })
}

const waits = tool({ name: 'waits', description: 'd', input: { type: 'object' }, execute: () => new Promise(() => {}) })

function waiting(signal?: AbortSignal): AgentRun<undefined> {
  const model = scriptedModel([{ toolCalls: [{ name: 'waits' }] }])
  return new Agent({ name: 'Test', functions: [waits], model }).stream('Go', signal ? { signal } : {})
}

const cases: Record<string, () => unknown> = {
  async unread() {
    await runOf().result
  },
  async 'left by process.exit'() {
    const { text } = await runOf().result
    process.exit(text === '' ? 0 : 1)
  },
  async 'several times'() {
    for (let run = 0; run < 3; run++) await runOf().result
  },
  async collected() {
    await runOf().result
    // Its line comes before this process ends.
    for (let turn = 0; turn < 20; turn++) {
      globalThis.gc?.()
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    console.error('the end')
  },
  async 'more than are remembered'() {
    const results = []
    for (let run = 0; run < 1_003; run++) results.push(await runOf().result)
    console.error('the end')
    for (const { error } of results) void error
  },
  async 'over its time'() {
    await waitingFor(20)
  },
  async 'aborted by its model'() {
    await agentOf(new AgentKitError('aborted', 'The model gave up.')).stream('Go').result
  },
  async 'error read'() {
    const { error } = await runOf().result
    console.log(error?.code)
  },
  async 'finishReason read'() {
    const result = await runOf().result
    if (result.finishReason === 'stop') console.log('done')
  },
  async iterated() {
    for await (const event of runOf()) void event
  },
  async 'chat that throws'() {
    await agentOf(failure)
      .chat('Go')
      .catch(() => {})
  },
  async printed() {
    console.log(await runOf().result)
  },
  async spread() {
    console.log(JSON.stringify({ ...(await runOf().result) }))
  },
  async successful() {
    await agentOf('Done.').stream('Go').result
  },
  async 'aborted by its signal'() {
    const controller = new AbortController()
    const { result } = waiting(controller.signal)
    setTimeout(() => controller.abort(), 20)
    await result
  },
  async 'cancelled by the caller'() {
    const run = waiting()
    setTimeout(() => run.cancel(), 20)
    await run.result
  },
  async 'left by its reader'() {
    for await (const event of waiting()) if (event.type === 'tool-call') break
  },
  async 'handed back to another process'() {
    const { store } = memoryDisk().open()
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
    const execute = (): Promise<never> => {
      begin()
      return new Promise(() => {})
    }
    const functions = [tool({ name: 'waits', description: 'd', input: { type: 'object' }, execute })]
    const model = scriptedModel([{ toolCalls: [{ name: 'waits' }] }])
    const agent = new Agent({ name: 'Test', functions, model, sessions: store })
    const { result } = agent.stream('Go', { sessionId: 's', resumable: true })
    await begun
    await handBackRuns(store, 10)
    await result
  },
  async 'of a worker'() {
    await agentOf(failure).continueRun('run_none').result
  },
  async 'of a server'() {
    await reported(runOf()).result
  },
}

async function waitingFor(timeoutMs: number): Promise<void> {
  const model = scriptedModel([{ toolCalls: [{ name: 'waits' }] }])
  await new Agent({ name: 'Test', functions: [waits], model, timeoutMs }).stream('Go').result
}

const chosen = cases[process.argv[2] ?? '']
if (!chosen) throw new Error(`There is no case "${process.argv[2]}".`)
// What never ends must not keep the process.
void Promise.resolve(chosen()).then(() => process.exit())
