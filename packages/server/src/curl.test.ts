import { execFile, spawnSync } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { fakeAgent } from './__fixtures__/fake-agent.ts'
import { serve } from './serve.ts'

const run = promisify(execFile)
const curlIsThere = spawnSync('curl', ['--version']).status === 0

async function curl(...options: string[]): Promise<{ output: string; input: unknown; userId: unknown }> {
  const agent = fakeAgent()
  const server = await serve(agent, { port: 0 })
  try {
    const { stdout } = await run('curl', ['--silent', '--url', `${server.url}/api/v1/chat`, ...options])
    return { output: stdout, input: agent.calls[0]?.input, userId: agent.calls[0]?.options.userId }
  } finally {
    await server.close()
  }
}

// Without curl these tests are skipped; other tests send the same bytes.
describe.runIf(curlIsThere)('curl', () => {
  const question =
    'Who is the sender of this transaction - 0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060'
  const messages = `{ "messages": [ { "role": "user", "content": "${question}" } ] }`

  it("accepts the specification's own request", async () => {
    const answer = await curl(
      '--request',
      'POST',
      '--header',
      'Content-Type: multipart/form-data',
      '--form',
      'user_id="test"',
      '--form',
      'session_id="test"',
      '--form',
      `chat_data=${messages}`,
    )
    expect(answer).toEqual({ output: 'Hello.', input: question, userId: 'test' })
  })

  it('accepts values in quotes', async () => {
    const form = [
      '--form-string',
      'user_id="test"',
      '--form-string',
      'session_id="test"',
      '--form-string',
      `chat_data="${messages}"`,
    ]
    expect(await curl(...form)).toEqual({ output: 'Hello.', input: question, userId: 'test' })
  })

  it('explains how to send a boundary', async () => {
    const { output } = await curl('--header', 'Content-Type: multipart/form-data', '--data', 'user_id=test')
    expect(JSON.parse(output)).toMatchObject({
      code: 'malformed-multipart',
      detail: expect.stringContaining('Leave the header out'),
    })
  })
})
