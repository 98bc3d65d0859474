import { Agent, request } from 'node:http'

const form = [
  ['user_id', 'bench'],
  ['session_id', ''],
  ['chat_data', '{"messages":[{"role":"user","content":"Do the work."}]}'],
]

/** Sends chats over kept connections until the time is up; returns the number of complete answers. */
export async function sendChats(port: number, forMs: number, connections: number): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const until = performance.now() + forMs
  let answered = 0
  const connection = async (): Promise<void> => {
    while (performance.now() < until) {
      await chat(port, agent, `${answered}-${Math.random()}`)
      answered++
    }
  }
  await Promise.all(Array.from({ length: connections }, connection))
  agent.destroy()
  return answered
}

function chat(port: number, agent: Agent, session: string): Promise<void> {
  const boundary = 'bench-boundary'
  const parts = form.map(([name, value]) => {
    const content = name === 'session_id' ? session : value
    return `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${content}\r\n`
  })
  const headers = { accept: 'text/event-stream', 'content-type': `multipart/form-data; boundary=${boundary}` }
  return new Promise((resolve, reject) => {
    const call = request({ port, agent, method: 'POST', path: '/api/v1/chat', headers }, (response) => {
      let body = ''
      response.setEncoding('utf8')
      response.on('data', (text) => {
        body += text
      })
      response.on('error', reject)
      response.on('end', () => {
        const tokens = body.split(' tok').length - 1
        if (response.statusCode === 200 && tokens >= 50) resolve()
        else
          reject(
            new Error(`A chat was answered with ${response.statusCode} and ${tokens} tokens: ${body.slice(0, 300)}`),
          )
      })
    })
    call.on('error', reject)
    call.end(`${parts.join('')}--${boundary}--\r\n`)
  })
}
