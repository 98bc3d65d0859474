import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Agent, tool } from 'agentkit'
import { afterEach, expect, it } from 'vitest'
import { houseModel } from './own-model.ts'

type Answer = { status?: number; lines?: object[]; open?: boolean }
const closing: (() => void)[] = []

afterEach(() => {
  for (const close of closing.splice(0)) close()
})

/** A server that gives these answers, and keeps what it is asked. */
async function houseServer(answers: Answer[]) {
  const asked: { messages: { role: string; content: string }[]; tools: { name: string }[] }[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) body += chunk
    asked.push(JSON.parse(body))
    const { status = 200, lines = [], open = false } = answers.shift() ?? { status: 404 }
    response.writeHead(status)
    response.write(lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
    if (!open) response.end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  closing.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked } // of TCP
}

const done = { done: { tokensIn: 3, tokensOut: 2 } }

function agentOn(url: string): Agent {
  const weather = tool({
    name: 'weather',
    description: 'The weather.',
    input: { type: 'object' },
    execute: () => 'Rain.',
  })
  const model = houseModel('large', url)
  return new Agent({ name: 'Clerk', functions: [weather], model, retry: { firstWaitMs: 0 }, sessions: ':memory:' })
}

it('calls tools, answers, and is asked again after a failure that passes', async () => {
  const call = { call: { id: 'c1', tool: 'weather', input: {} } }
  const { url, asked } = await houseServer([
    { status: 503 },
    { lines: [call, done] },
    { lines: [{ text: 'It ' }, { text: 'rains.' }, done] },
  ])
  const { text, usage } = await agentOn(url).stream('How is the weather?').result
  expect(text).toBe('It rains.')
  expect(usage.totalTokens).toBe(10)
  expect(asked[2]?.messages.at(-1)).toMatchObject({ role: 'tool', content: 'Rain.' })
  expect(asked[0]?.tools.map(({ name }) => name)).toEqual(['weather'])
})

it('tries again where the answer ends early, and stops with its run', async () => {
  const { url, asked } = await houseServer([{ lines: [{ text: 'It ' }] }, { lines: [{ text: 'It ' }], open: true }])
  const run = agentOn(url).stream('How is the weather?')
  const types: string[] = []
  for await (const { type } of run) {
    types.push(type)
    if (type === 'text-delta' && asked.length === 2) run.cancel()
  }
  expect(types).toContain('step-restart')
  expect((await run.result).finishReason).toBe('aborted')
})
