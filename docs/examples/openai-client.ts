import OpenAI from 'openai'

/** Asks an agent as if it were a model of OpenAI. */
export async function ask(question: string, url = 'http://127.0.0.1:8000'): Promise<string> {
  const client = new OpenAI({
    baseURL: `${url}/v1`,
    apiKey: process.env.AGENT_TOKEN ?? 'any', // without auth, any key is accepted
    defaultHeaders: { 'x-session-id': 'ada' }, // the agent remembers; without it, send the whole conversation
  })
  const stream = await client.chat.completions.create({
    model: 'helper', // the id of the agent
    messages: [{ role: 'user', content: question }],
    stream: true,
  })
  let answer = ''
  for await (const chunk of stream) answer += chunk.choices[0]?.delta.content ?? ''
  return answer
}
