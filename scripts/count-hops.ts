// Prints the functions of ours from `agent.chat()` to the transport, below the official SDK or in its place, each called by one before it, and the lines of the
// files of one step: `node --conditions=@agentkit/source scripts/count-hops.ts`. A debugger reads the stacks of a warm
// agent, with awaiting functions: where the request is sent, and where the run and the stream of the model are created
// and returned.
import { channel } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { Session } from 'node:inspector'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isMainThread, parentPort, Worker } from 'node:worker_threads'
import { readText } from './workspace-files.ts'

type Frame = { name: string; file: string }

/** The places that create values which are on no stack when the request is sent. */
const factories = [
  { file: 'packages/core/src/runs/driver/run-driver.ts', line: 'const { runId } = request' },
  { file: 'packages/wire/src/stream/model-stream.ts', line: 'this.#watch = new CallWatch' },
]

const stepFiles = [
  ...['loop/run-agent', 'loop/model-step', 'loop/model/call-with-fallback', 'loop/model/call-model'],
  ...['loop/model/check-reply', 'loop/tool-step', 'loop/tools/execute-tools', 'runs/run-state'],
]

if (isMainThread) await main()
else watchMainThread()

async function main(): Promise<void> {
  const lines = stepFiles.map((file) => readText(`packages/core/src/${file}.ts`).trimEnd().split('\n').length)
  const functions = joinStacks(await stacksOfChat())
  const files = new Set(functions.map(({ file }) => file))
  console.log(`agent.chat() reaches the transport in ${functions.length} functions of ${files.size} files:`)
  for (const [index, { name, file }] of functions.entries()) {
    console.log(`${String(index + 1).padStart(4)}  ${name.padEnd(18)} ${file}`)
  }
  console.log(`One step takes ${stepFiles.length} files of ${lines.reduce((sum, count) => sum + count)} lines:`)
  for (const [index, file] of stepFiles.entries()) console.log(`${String(lines[index]).padStart(4)}  ${file}.ts`)
}

/** The stacks of one call, in order, each from the outermost function. */
async function stacksOfChat(): Promise<Frame[][]> {
  const { fakeProvider } = await import('@agentkit/testing')
  const { Agent } = await import('agentkit')
  await using fake = await fakeProvider('openai-chat', () => 'Hello.')
  process.env.OPENAI_API_KEY = 'none'
  process.env.OPENAI_BASE_URL = fake.url
  const watcher = new Worker(new URL(import.meta.url))
  // Outside this repository, so that its configuration is not used.
  process.chdir(mkdtempSync(join(tmpdir(), 'hops-')))
  const agent = new Agent({ name: 'Hops', functions: [], model: 'openai/gpt-5.4-mini' })
  await agent.chat('Hello')

  const stacks: Frame[][] = []
  watcher.postMessage('watch')
  await once(watcher, 'message')
  watcher.on('message', (stack: Frame[]) => stacks.push(stack))
  channel('http.client.request.created').subscribe(() => {
    // biome-ignore lint/suspicious/noDebugger: the debugger reads the stack here.
    debugger
  })
  await agent.chat('Hello')
  await watcher.terminate()
  return stacks
}

/** Posts the stack of the main thread whenever it pauses. */
function watchMainThread(): void {
  const session = new Session()
  session.connectToMainThread()
  const urls = new Map<string, string>()
  session.on('Debugger.scriptParsed', ({ params }) => urls.set(params.scriptId, params.url))
  session.on('Debugger.paused', ({ params }) => {
    const frameOf = (name: string, scriptId: string): Frame => ({ name, file: urls.get(scriptId) ?? '' })
    const stack = params.callFrames.map(({ functionName, location }) => frameOf(functionName, location.scriptId))
    for (let awaiting = params.asyncStackTrace; awaiting; awaiting = awaiting.parent) {
      stack.push(...awaiting.callFrames.map(({ functionName, scriptId }) => frameOf(functionName, scriptId)))
    }
    parentPort?.postMessage(stack.reverse())
    session.post('Debugger.resume')
  })
  parentPort?.on('message', () => {
    session.post('Debugger.enable')
    session.post('Debugger.setAsyncCallStackDepth', { maxDepth: 1000 })
    for (const { file, line } of factories) {
      const lineNumber = readText(file)
        .split('\n')
        .findIndex((text) => text.includes(line))
      session.post('Debugger.setBreakpointByUrl', { urlRegex: `/${file}$`, lineNumber })
    }
    parentPort?.postMessage('watching')
  })
}

/** The last stack, which reaches the transport, with the functions of the others inserted after their callers. */
function joinStacks(stacks: readonly Frame[][]): Frame[] {
  const [last = [], ...others] = stacks.map(ownFunctions).reverse()
  for (const stack of others) {
    for (const [index, frame] of stack.entries()) {
      if (last.some((known) => isSame(known, frame))) continue
      const caller = stack[index - 1]
      last.splice(last.findIndex((known) => caller && isSame(known, caller)) + 1, 0, frame)
    }
  }
  return last
}

/**
 * The named functions of our packages from `chat` to the SDK, or to the transport where the request needs no SDK. An anonymous function belongs to the function around it,
 * and a constructor to its class.
 */
function ownFunctions(stack: readonly Frame[]): Frame[] {
  const start = stack.findIndex(({ name }) => name === 'chat')
  const end = stack.findIndex(({ file }) => /\/node_modules\/openai\/|\/wire\/src\/http\/node-fetch/.test(file))
  const own = stack
    .slice(start, end === -1 ? undefined : end)
    .filter(({ name, file }) => /\/packages\/[\w-]+\/src\//.test(file) && /^[a-z]/.test(name))
    .map(({ name, file }) => ({ name, file: file.replace(/^.*\/(?=packages\/)/, '') }))
  // A function that awaits several times appears several times.
  return own.filter((frame, index) => own.findIndex((other) => isSame(frame, other)) === index)
}

function isSame(one: Frame, other: Frame): boolean {
  return one.name === other.name && one.file === other.file
}
