import type { ModelEvent, ToolSpec } from '@agentkit/core'
import { describe, expect, it } from 'vitest'
import { answerTo, callsFor, callsOf, converse, eventsOf, model, textOf } from './__fixtures__/ask.ts'
import { deskTools, officeTools as tools } from './__fixtures__/tools.ts'

const user = (content: string) => ({ role: 'user' as const, content })
const hash = '0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060'
const introduction = 'I am the offline stand-in, not a language model.'

describe('as a model', () => {
  it('costs nothing', () => {
    expect(model.info?.price).toMatchObject({ inputUsdPerMillion: 0, outputUsdPerMillion: 0 })
  })

  it('streams text in several deltas that join to its message, and finishes once, last', async () => {
    const events = await eventsOf({ messages: [user('Hello')], tools })
    const deltas = events.filter((event) => event.type === 'text-delta')
    const last = events.at(-1) as Extract<ModelEvent, { type: 'finish' }>
    expect(deltas.length).toBeGreaterThan(2)
    expect(events.filter(({ type }) => type === 'finish')).toEqual([last])
    expect(last).toMatchObject({ reason: 'stop', message: { role: 'assistant', model: 'offline/extractive' } })
    expect(textOf(last.message)).toBe(deltas.map(({ text }) => text).join(''))
  })

  it('finishes with tool-calls when it calls', async () => {
    const events = await eventsOf({ messages: [user('weather in Paris')], tools })
    expect(events.map(({ type }) => type)).toEqual(['tool-call', 'finish'])
    expect(events.at(-1)).toMatchObject({ reason: 'tool-calls' })
  })

  it('answers the same request the same way', async () => {
    const request = { messages: [user('Is it going to rain in Oslo and Rome?')], tools }
    expect(await eventsOf(request)).toEqual(await eventsOf(request))
  })

  it('counts words as its tokens', async () => {
    const last = (await eventsOf({ messages: [user('one two three')] })).at(-1)
    expect(last).toMatchObject({ usage: { inputTokens: 3 } })
  })

  it('makes no answer for a signal that is aborted already', async () => {
    await expect(eventsOf({ messages: [user('Hello')] }, AbortSignal.abort())).rejects.toMatchObject({
      code: 'aborted',
    })
  })

  it('ends in timeout where the signal is a timeout', async () => {
    const signal = AbortSignal.abort(new DOMException('late', 'TimeoutError'))
    await expect(eventsOf({ messages: [user('Hello')] }, signal)).rejects.toMatchObject({ code: 'timeout' })
  })

  it('stops in the middle of an answer when it is aborted', async () => {
    const controller = new AbortController()
    const seen: string[] = []
    const read = async (): Promise<void> => {
      for await (const event of model.stream({ messages: [user('help')], tools }, controller.signal)) {
        seen.push(event.type)
        controller.abort()
      }
    }
    await expect(read()).rejects.toMatchObject({ code: 'aborted', provider: 'offline', model: 'extractive' })
    expect(seen).toEqual(['text-delta'])
  })

  it('cuts its answer at maxOutputTokens and says length', async () => {
    const last = (await eventsOf({ messages: [user('help')], tools, maxOutputTokens: 5 })).at(-1)
    expect(last).toMatchObject({ reason: 'length', usage: { outputTokens: 5 } })
  })

  it('ends its answer before a stop word', async () => {
    expect(textOf(await answerTo({ messages: [user('Hello')], tools, stop: ['stand-in'] }))).toBe('I am the offline ')
  })

  it('warns of options that it cannot honour', async () => {
    const events = await eventsOf({ messages: [user('Hello')], temperature: 0.7, reasoning: 'high' })
    expect(events.filter(({ type }) => type === 'warning')).toHaveLength(2)
    expect(events.at(-1)).toMatchObject({
      warnings: [expect.stringContaining('temperature'), expect.stringContaining('reasoning')],
    })
  })

  it('gives each call of a conversation an id of its own', async () => {
    const { calls } = await converse(
      ['weather in Paris and London', 'weather in Rome'],
      { getWeather: 'Sunny' },
      { tools },
    )
    expect(calls.map(({ callId }) => callId)).toEqual(['offline_1', 'offline_2', 'offline_3'])
  })

  it('makes one call at a time when parallel calls are not wanted', async () => {
    expect(await callsFor('weather in Paris and London', tools, { parallelToolCalls: false })).toHaveLength(1)
  })

  it('survives an empty conversation, empty texts and tools without properties', async () => {
    const bare: ToolSpec = { name: 'ping', description: '', inputSchema: { type: 'object' } }
    expect(callsOf(await answerTo({ messages: [], tools }))).toEqual([])
    expect(callsOf(await answerTo({ messages: [user('')], tools }))).toEqual([])
    expect(await callsFor('ping', [bare])).toEqual([['ping', {}]])
  })

  it.each([
    ['numbers', '1,234'.repeat(2_000)],
    ['names', 'Aa '.repeat(3_300)],
    ['a list', 'a, '.repeat(3_300)],
    ['brackets', '('.repeat(10_000)],
  ])('answers 10,000 characters of %s at once', async (_what, text) => {
    const start = performance.now()
    await answerTo({ messages: [user(text)], tools })
    expect(performance.now() - start).toBeLessThan(2_000)
  })

  it('answers a very long message in good time', async () => {
    const long = `${'Paris (((1,000 - 2 "quoted and 0xabc ada@b.c, then in the city of x '.repeat(20_000)}?`
    const start = performance.now()
    await answerTo({ messages: [user(long)], tools })
    expect(performance.now() - start).toBeLessThan(5_000)
  })
})

describe('toolChoice', () => {
  it('calls nothing with none', async () => {
    expect(await callsFor('weather in Paris', tools, { toolChoice: 'none' })).toEqual([])
  })

  it('calls the tool that is named', async () => {
    expect(await callsFor('Paris', tools, { toolChoice: { tool: 'getWeather' } })).toEqual([
      ['getWeather', { city: 'Paris' }],
    ])
  })

  it('calls a tool that can be filled with required', async () => {
    expect(
      await callsFor('ada@example.com', [tools[0] as ToolSpec, tools[14] as ToolSpec].slice(0, 1), {
        toolChoice: 'required',
      }),
    ).toEqual([])
    expect(
      await callsFor(
        'AAPL',
        tools.filter(({ name }) => name === 'stockPrice'),
        { toolChoice: 'required' },
      ),
    ).toEqual([['stockPrice', { symbol: 'AAPL' }]])
  })
})

describe('answers from results', () => {
  const receipt = JSON.stringify({
    transactionHash: hash,
    blockNumber: '0x10',
    from: '0xAAA1',
    to: '0xBBB2',
    gasUsed: '0x5208',
  })

  it.each([
    ['Who is the sender', 'The sender is 0xAAA1 (from getTransactionReceipt).'],
    ['Who is the recipient', 'The recipient is 0xBBB2'],
    ['What is the block number', 'The block number is 0x10'],
    ['How much gas was used', 'The gas used is 0x5208'],
  ])('says the field that is asked for: %s', async (question, answer) => {
    const { answers } = await converse(
      [`${question} of this transaction - ${hash}?`],
      { getTransactionReceipt: receipt },
      { tools },
    )
    expect(answers).toEqual([expect.stringContaining(answer)])
  })

  it('shows every field when none is named', async () => {
    const result = '{"city":"Paris","temperature":21,"condition":"sunny"}'
    const { answers } = await converse(["What's the weather in Paris?"], { getWeather: result }, { tools })
    expect(answers[0]).toContain(
      'The city is Paris, the temperature is 21 and the condition is sunny (from getWeather).',
    )
  })

  it.each(['no result', 'null', ''])(
    'says that there is no result, and which tool gave none: "%s"',
    async (content) => {
      const { answers } = await converse(
        [`sender of transaction ${hash}`],
        { getTransactionReceipt: content },
        { tools },
      )
      expect(answers[0]).toContain(
        `There is no result: getTransactionReceipt found nothing for transaction hash ${hash}.`,
      )
    },
  )

  it('says that a tool failed, and with what message', async () => {
    const { answers } = await converse(
      ['weather in Paris'],
      { getWeather: { content: 'The service is down', isError: true } },
      { tools },
    )
    expect(answers[0]).toContain('The tool getWeather failed: The service is down.')
  })

  it('tells several results in turn', async () => {
    const { answers } = await converse(
      ['weather in Paris and what is 2 + 2?'],
      { getWeather: 'Sunny', calculator: '4' },
      { tools },
    )
    expect(answers[0]).toMatch(/getWeather says: "Sunny"\nThe result of calculator is 4\.$/)
  })

  it('says yes or no to a question about a state', async () => {
    const { answers } = await converse(
      ['Is the weather in Paris sunny?'],
      { getWeather: '{"sunny":true,"wind":3}' },
      { tools },
    )
    expect(answers[0]).toContain('Yes: sunny is true (from getWeather).')
  })

  it('says that a tool without a value is done', async () => {
    const { answers } = await converse(['Turn off the kitchen light'], { toggleDevice: 'done' }, { tools })
    expect(answers[0]).toContain('Done: toggleDevice with device kitchen light and on false.')
  })

  it('quotes the passage of a search that answers, with its file', async () => {
    const hits = JSON.stringify([
      { file: 'guide.md', text: 'Timeouts are set in seconds. The retry policy allows three attempts.' },
      { file: 'faq.md', text: 'Ask on the forum for anything else that is missing.' },
    ])
    const { answers } = await converse(['Search the docs for retry policy'], { search_docs: hits }, { tools })
    expect(answers[0]).toContain('"The retry policy allows three attempts." (guide.md)')
  })

  it('does not repeat a call in one turn', async () => {
    const { calls } = await converse(['weather in Paris'], { getWeather: 'no result' }, { tools })
    expect(calls).toHaveLength(1)
  })

  it('gives the first result to a second call that points at it', async () => {
    const { calls } = await converse(
      ['Convert 100 USD to EUR and email it to bob@example.com with subject Money'],
      { convert_currency: '92.5', sendEmail: 'done' },
      { tools },
    )
    expect(calls.map(({ name, input }) => [name, input])).toEqual([
      ['convert_currency', { amount: 100, from: 'USD', to: 'EUR' }],
      ['sendEmail', { to: 'bob@example.com', subject: 'Money', body: '92.5' }],
    ])
  })

  it('keeps digits that a number would change', async () => {
    const { answers } = await converse(['stock price of AAPL'], { stockPrice: '123456789012345678901' }, { tools })
    expect(answers[0]).toContain('123456789012345678901')
  })
})

describe('what it says', () => {
  it('says what it is in its first answer, and not again', async () => {
    const { answers } = await converse(['Hello', 'weather in Paris'], { getWeather: 'Sunny' }, { tools })
    expect(answers[0]).toContain(introduction)
    expect(answers[1]).toBe('getWeather says: "Sunny"')
  })

  it('says what it is also when its first answer follows a call', async () => {
    const { answers } = await converse(['weather in Paris'], { getWeather: 'Sunny' }, { tools })
    expect(answers[0]).toBe(`${introduction} getWeather says: "Sunny"`)
  })

  it('names the argument that is missing, with its description', async () => {
    expect(textOf(await answerTo({ messages: [user("What's the weather?")], tools }))).toContain(
      'I would call getWeather, but your message does not say "city" (City name, e.g. Paris).',
    )
  })

  it('says what it cannot do, which tools it has, and how to get a real model', async () => {
    const text = textOf(await answerTo({ messages: [user('Tell me a joke')], tools: tools.slice(0, 2) }))
    expect(text).toContain('I cannot answer that')
    expect(text).toContain('My tools: getWeather, convert_currency.')
    expect(text).toMatch(/LLMPROVIDER_API_KEY.*OPENAI_API_KEY.*agentkit_config\.toml/)
  })

  it.each(['help', 'What can you do?', 'which tools do you have?'])('lists its tools: %s', async (question) => {
    expect(textOf(await answerTo({ messages: [user(question)], tools }))).toContain('My tools: getWeather')
  })

  it('says that it cannot read images and files', async () => {
    const content = [
      { type: 'text' as const, text: 'What is this?' },
      { type: 'image' as const, url: 'https://example.com/a.png' },
      { type: 'file' as const, base64: 'AA==', mediaType: 'application/pdf', name: 'a.pdf' },
    ]
    const text = textOf(await answerTo({ messages: [{ role: 'user', content }] }))
    expect(text).toContain('I cannot read the image in your message. I cannot read the file "a.pdf" in your message.')
  })
})

describe('in a conversation', () => {
  it('takes the answer to what it asked for', async () => {
    const { calls } = await converse(['Convert 100 dollars', 'to euros'], { convert_currency: '92.5' }, { tools })
    expect(calls.map(({ input }) => input)).toEqual([{ amount: 100, from: 'USD', to: 'EUR' }])
  })

  it('takes from an earlier message what a later one points at', async () => {
    const { calls } = await converse([`My hash is ${hash}`, 'Get the receipt of that transaction'], {}, { tools })
    expect(calls.map(({ input }) => input)).toEqual([{ transactionHash: hash }])
  })

  it('asks again with another value', async () => {
    const { calls } = await converse(
      ['weather in Paris in metric units', 'And in London?'],
      { getWeather: 'Sunny' },
      { tools },
    )
    expect(calls.map(({ input }) => input)).toEqual([
      { city: 'Paris', units: 'metric' },
      { city: 'London', units: 'metric' },
    ])
  })

  it('answers from an earlier result', async () => {
    const { answers, calls } = await converse(
      ['weather in Paris', 'What is the humidity there?'],
      { getWeather: '{"temperature":21,"humidity":40}' },
      { tools },
    )
    expect(calls).toHaveLength(1)
    expect(answers[1]).toBe('The humidity is 40 (from getWeather).')
  })

  it('answers from an item of an earlier list', async () => {
    const { answers, calls } = await converse(
      ['weather in Paris', 'What is the battery of the door sensor?'],
      { getWeather: '[{"device":"Hall lamp","battery":88},{"device":"Door sensor","battery":12}]' },
      { tools },
    )
    expect(calls).toHaveLength(1)
    expect(answers[1]).toBe('The battery is 12 (from getWeather).')
  })

  it('gives a bare answer to the tool that asked, not to another that could take it', async () => {
    const { calls } = await converse(['Cancel my order', 'ORD-66'], {}, { tools: deskTools })
    expect(calls.map(({ name, input }) => [name, input])).toEqual([['cancelOrder', { orderId: 'ORD-66' }]])
  })

  it('quotes back what it was told', async () => {
    const { answers } = await converse(['My name is Ada.', 'Hello', 'What is my name?'], {}, { tools })
    expect(answers[2]).toBe('You told me: "My name is Ada."')
  })
})

describe('passages', () => {
  it.each([
    [
      'after a label',
      'Text: The Nile is 6650 km long. Its delta lies in Egypt.\n\nHow long is the Nile?',
      'The Nile is 6650 km long.',
    ],
    [
      'in a fence',
      '```\nRefunds take 30 days. Shipping takes 5.\n```\nHow long do refunds take?',
      'Refunds take 30 days.',
    ],
    [
      'in quotes',
      'From this passage: "Marie Curie was born in Warsaw in 1867. She died in 1934." When was she born?',
      'Marie Curie was born in Warsaw in 1867.',
    ],
  ])('quotes the sentence that answers, word for word: %s', async (_where, message, sentence) => {
    expect(textOf(await answerTo({ messages: [user(message)], tools }))).toBe(`${introduction} "${sentence}"`)
  })

  it('quotes the system message', async () => {
    const { answers } = await converse(
      ['What is the support phone number?'],
      {},
      { system: 'You help. The support phone number is 555-0100.' },
    )
    expect(answers[0]).toContain('"The support phone number is 555-0100."')
  })

  it('says so when no sentence answers', async () => {
    const message = 'Text: The Nile is 6650 km long. Its delta lies in Egypt.\n\nWho painted Guernica?'
    expect(textOf(await answerTo({ messages: [user(message)] }))).toContain(
      'No sentence of the given text answers that.',
    )
  })
})

describe('output', () => {
  const person = {
    type: 'object',
    properties: { name: { type: 'string' }, age: { type: 'integer' }, email: { type: 'string', format: 'email' } },
    required: ['name', 'age'],
  }

  it('fills a schema from the message', async () => {
    const message = await answerTo({
      messages: [user('Ada Lovelace is 36 years old, email ada@example.com')],
      output: person,
    })
    expect(JSON.parse(textOf(message))).toEqual({ name: 'Ada Lovelace', age: 36, email: 'ada@example.com' })
  })

  it('fills a schema from the results of a tool', async () => {
    const output = { type: 'object', properties: { temperature: { type: 'number' } }, required: ['temperature'] }
    const { answers } = await converse(['weather in Paris'], { getWeather: '{"temperature":21}' }, { tools, output })
    expect(answers).toEqual(['{"temperature":21}'])
  })

  it('throws unsupported when a value is nowhere, and names it', async () => {
    await expect(answerTo({ messages: [user('Hello')], output: person })).rejects.toMatchObject({
      code: 'unsupported',
      message: expect.stringContaining('"age"'),
    })
  })
})
