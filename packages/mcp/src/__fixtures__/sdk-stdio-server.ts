// A server of an SDK over stdio: node sdk-stdio-server.ts old|new <log>.
import { appendFileSync } from 'node:fs'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { newTools, oldTools } from './sdk-tools.ts'

const [, , name, log = ''] = process.argv
appendFileSync(log, `${process.pid}\n`)
if (name === 'new') serveStdio(newTools)
else await oldTools().connect(new StdioServerTransport())
