import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { describeData } from './describe-data.ts'
import { findTrend } from './find-trend.ts'

it('shows a swarm at work, event by event, also without a key', async () => {
  const register = import.meta.resolve('agentkit/register')
  const words = ['--conditions=@agentkit/source', `--import=${register}`, join(import.meta.dirname, 'app.ts')]
  const env = { ...process.env, LLMPROVIDER_API_KEY: '', OPENAI_API_KEY: '' }
  const { stdout } = await promisify(execFile)(process.execPath, [...words, 'Analyze the data [2, 4, 9].'], { env })
  expect(stdout).toContain('running on offline/extractive')
  expect(stdout).toContain('\n  research calls describeData({"data":[2,4,9]})\n')
  expect(stdout).toContain('\n  analyst is done\n')
  expect(stdout).toMatch(/Research Team: [\s\S]*sum: 15[\s\S]*rising[\s\S]*\nstop, \d+ tokens in all\.\n$/)
})

it('escapes terminal control characters in answers of models', async () => {
  const hostile = 'red \u001b[31m, \u001b]52;c;cm0=\u0007, \u001b]8;;http://x\u001b\\, over\rwritten, \u202eturned'
  const chunk = (choice: object): string =>
    `data: ${JSON.stringify({ id: '1', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, ...choice }] })}\n\n`
  const answer = [
    chunk({ delta: { role: 'assistant', content: hostile } }),
    chunk({ delta: {}, finish_reason: 'stop' }),
  ]
  const model = createServer((request, response) => {
    request.resume()
    response.setHeader('content-type', 'text/event-stream').end(`${answer.join('')}data: [DONE]\n\n`)
  }).listen(0, '127.0.0.1')
  await once(model, 'listening')
  const { port } = model.address() as AddressInfo // of TCP
  const register = import.meta.resolve('agentkit/register')
  const words = ['--conditions=@agentkit/source', `--import=${register}`, join(import.meta.dirname, 'app.ts')]
  const env = { ...process.env, OPENAI_API_KEY: 'test-key', OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1` }
  const run = await promisify(execFile)(process.execPath, [...words, `Look at ${hostile}`], { env })
  model.closeAllConnections()
  model.close()
  expect(run.stdout + run.stderr).not.toMatch(/(?!\n)[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u)
  expect(run.stdout).toContain('\nResearch Team: red \\u001b[31m, ')
  expect(run.stdout).toContain('You: Look at red \\u001b[31m, ')
})

it('says why it failed, and ends with 1', async () => {
  const register = import.meta.resolve('agentkit/register')
  const words = ['--conditions=@agentkit/source', `--import=${register}`, join(import.meta.dirname, 'app.ts')]
  const model = createServer((_request, response) => {
    response.writeHead(401).end()
  }).listen(0, '127.0.0.1')
  await once(model, 'listening')
  const { port } = model.address() as AddressInfo // of TCP
  const env = { ...process.env, OPENAI_API_KEY: 'test-key', OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1` }
  const run = promisify(execFile)(process.execPath, words, { env })
  await expect(run).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('refused the key (401)') })
  model.closeAllConnections()
  model.close()
})

describe('the functions of its members', () => {
  it('describes data', () => {
    expect(describeData([3, 1, 2, 10])).toEqual({ count: 4, sum: 16, mean: 4, median: 2.5, smallest: 1, largest: 10 })
    expect(() => describeData([])).toThrow('There are no numbers.')
  })

  it('finds a trend', () => {
    expect(findTrend([1, 2, 3])).toEqual({ changePerStep: 1, direction: 'rising' })
    expect(findTrend([5, 5])).toEqual({ changePerStep: 0, direction: 'level' })
    expect(() => findTrend([1])).toThrow('two numbers')
  })
})
