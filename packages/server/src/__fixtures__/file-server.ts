// A process that serves an agent with the files of a folder, for tests that kill it or limit it.
import { serve } from '../serve.ts'
import { fakeAgent } from './fake-agent.ts'
import { folderKnowledge } from './folder-knowledge.ts'

const agent = { ...fakeAgent(), knowledge: folderKnowledge(process.argv[2] ?? '') }
const server = await serve(agent, { port: 0, log: () => {} })
console.log(server.url)
// The peak of the resident memory, in bytes.
process.on('SIGUSR2', () => console.log(process.resourceUsage().maxRSS * 1024))
