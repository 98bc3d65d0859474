import { existsSync } from 'node:fs'
import { dirname, isAbsolute, join } from 'node:path'
import { Writable } from 'node:stream'
import { Command } from 'commander'
import { definedOnly } from '../util/defined-only.ts'
import { idText } from './common/id-text.ts'
import { printError } from './common/print.ts'

type MCPOptions = { agent?: string; user?: string }

/** `agentkit mcp agent.ts`: an agent for hosts that start their MCP servers. */
export function mcpCommand(): Command {
  return new Command('mcp')
    .argument(
      '[file]',
      'the file that exports the agent (default: agent.ts, app.ts, also in src/); for an absolute path the command works in the folder of its package.json',
    )
    .option('--agent <id>', 'this one of several agents')
    .option('--user <id>', 'whose sessions, runs and files they are (default: default)', idText('--user'))
    .addHelpText('after', examples)
    .action(serveMCP)
}

const examples = `
Examples:
  agentkit mcp agent.ts
  agentkit mcp src/team.ts --agent analyst --user ann
  claude mcp add clerk -- npx agentkit mcp /path/to/agent.ts

Exit codes: 0 its host has left, 1 failed, 2 wrong usage.`

/** How long the agent may take to close when its host has left, in milliseconds. */
const closeMs = 5_000
const maxWarnings = 100

async function serveMCP(file: string | undefined, { agent: id, user }: MCPOptions): Promise<void> {
  // Called before the file is loaded, because the output of its code must not mix with the protocol.
  const output = takeStdout()
  // A host starts it in any folder.
  if (file !== undefined && isAbsolute(file) && existsSync(file)) process.chdir(projectOf(file))
  const { chosenAgent, loadAgents } = await import('./common/load-agents.ts')
  const loaded = await loadAgents(file, { standIn: true, ids: [id] })
  const agent = chosenAgent(loaded, id)
  const { hasUserFiles } = await import('../agents/user-files.ts')
  const { mcpServer } = await import('@agentkit/server/mcp')
  const { serveStdio, StdioServerTransport } = await import('@modelcontextprotocol/server/stdio')
  const { handleSignals } = await import('@agentkit/server')
  const options = definedOnly({ userId: user, perUserFiles: hasUserFiles(agent) })
  // Options that are not possible are reported before a host waits for an answer.
  await mcpServer(agent, options).close()
  const transport = new StdioServerTransport(process.stdin, output)
  const servers: { close(): Promise<void> }[] = []
  const make = (): ReturnType<typeof mcpServer> => {
    const made = mcpServer(agent, options)
    servers.push(made)
    return made
  }
  let warnings = 0
  const server = serveStdio(make, {
    transport,
    onerror(error) {
      if (++warnings <= maxWarnings) printError(`warning: ${error.message.slice(0, 500)}`)
    },
  })
  const close = async (): Promise<void> => {
    // The servers are closed first, so that their runs have ended before the sessions are closed.
    await Promise.allSettled(servers.map((each) => each.close()))
    await loaded.close()
  }
  const ended = closed(transport).then(() => within(closeMs, close()))
  handleSignals({ url: '', close: () => server.close().then(() => ended) })
  if (process.stdin.isTTY) printError(`${agent.name} waits for messages of MCP on stdin: a host starts this command.`)
  await ended
}

/** The nearest folder with a `package.json`, else the folder of the file. */
function projectOf(file: string): string {
  for (let folder = dirname(file); folder !== dirname(folder); folder = dirname(folder)) {
    if (existsSync(join(folder, 'package.json'))) return folder
  }
  return dirname(file)
}

/** Redirects stdout to stderr from now on. Only data that is written to the returned stream goes to stdout. */
function takeStdout(): Writable {
  const write = process.stdout.write.bind(process.stdout)
  process.stdout.write = process.stderr.write.bind(process.stderr)
  const output = new Writable({
    decodeStrings: false,
    write: (chunk, encoding, done) => void write(chunk, encoding, done),
  })
  // The host has left.
  process.stdout.on('error', (error) => output.destroy(error))
  return output
}

/** Resolves when the host has left, or the server has closed the connection. */
function closed(transport: { onclose?: () => void }): Promise<void> {
  return new Promise((resolve) => {
    // The SDK has set its own.
    const { onclose } = transport
    transport.onclose = () => {
      onclose?.()
      resolve()
    }
  })
}

async function within(ms: number, work: Promise<void>): Promise<void> {
  await Promise.race([work, new Promise((resolve) => setTimeout(resolve, ms).unref())])
}
