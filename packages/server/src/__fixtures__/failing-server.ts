// A server whose run fails: the server reports it, so that nothing else is printed on stderr.
import { Agent, AgentKitError } from '@agentkit/core'
import { scriptedModel } from '@agentkit/testing'
import { createApp } from '../index.ts'

const failure = new AgentKitError('quota', 'Nothing is left.')
const agent = new Agent({ name: 'Test', model: scriptedModel([failure, failure]), retry: { attempts: 1 } })
const app = createApp(agent, { log: () => {} })
for (const accept of ['application/json', 'text/event-stream']) {
  const body = new FormData()
  body.set('user_id', 'ada')
  body.set('session_id', 'first')
  body.set('chat_data', JSON.stringify({ messages: [{ role: 'user', content: 'Hello' }] }))
  const headers = { accept, host: '127.0.0.1' }
  const response = await app.request('http://127.0.0.1/api/v1/chat', { method: 'POST', body, headers })
  console.log(await response.text())
}
