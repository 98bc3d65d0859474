// A process that serves an agent, for the tests of signals.
import { handleSignals } from '../handle-signals.ts'
import { serve } from '../serve.ts'
import { fakeAgent, text } from './fake-agent.ts'

const act = process.argv[2] === 'hang' ? ('hang' as const) : { wait: 300 }
const agent = fakeAgent([act, text('Done.')])
const { stream } = agent
agent.stream = (...values) => {
  console.log('running')
  const run = stream(...values)
  void run.result.then(() => console.log('ended'))
  return run
}
if (process.argv[2] === 'beside another') {
  const idle = await serve(fakeAgent([]), { port: 0 })
  handleSignals(idle, { log: 'json', afterClose: async () => console.log('idle is closed') })
}
const server = await serve(agent, { port: 0, limits: { drainMs: 60_000 } })
handleSignals(server, { log: 'json', afterClose: async () => console.log('closed') })
process.on('SIGUSR2', () => void Promise.reject(new Error('forgotten sk-1234567890abcdef')))
// Blocks the event loop, as a tool with a long computation does.
process.on('SIGWINCH', () => {
  const until = performance.now() + 2_000
  while (performance.now() < until);
})
console.log(server.url)
