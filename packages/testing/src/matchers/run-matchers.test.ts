import { Agent, AgentKitError, type Citation, tool } from '@agentkit/core'
import { describe, expect, it } from 'vitest'
import { scriptedModel } from '../scripted-model.ts'
import '../vitest.ts'

const quote = 'Refunds within 14 days.'
const source: Citation = {
  ...{ file: 'handbook.md', start: 0, end: quote.length, quote, chunkId: 'c1', score: { fused: 1 } },
}
const refund = tool({
  name: 'refund',
  description: 'Refunds an order.',
  input: { type: 'object' },
  execute(_, { cite }) {
    cite([source])
    return 'done'
  },
})

async function runOnce() {
  const model = scriptedModel([{ toolCalls: [{ name: 'refund', input: { order: 7 } }] }, 'Done.'])
  const run = new Agent({ name: 'Clerk', functions: [refund], model }).stream('Refund')
  const events = await Array.fromAsync(run)
  return { events, result: await run.result }
}

describe('the matchers of runs', () => {
  it.each(['events', 'result'] as const)('check the %s of a run', async (form) => {
    const run = (await runOnce())[form]
    expect(run).toHaveFinished()
    expect(run).not.toHaveFinished('budget')
    expect(run).toHaveCalledTool('refund')
    expect(run).toHaveCalledTool('refund', { order: 7 })
    expect(run).toHaveCalledTool('refund', { order: expect.any(Number) })
    expect(run).not.toHaveCalledTool('refund', { order: 8 })
    expect(run).not.toHaveCalledTool('pay')
    expect(run).toCite('handbook.md')
    expect(run).toCite(/hand/, '14 days')
    expect(run).not.toCite('handbook.md', /\b15\b/)
    expect(run).not.toCite('other.md')
  })

  it('count no call of an attempt that was tried again', async () => {
    const error = new AgentKitError('overloaded', 'Busy.', { retryable: true })
    const model = scriptedModel([{ toolCalls: [{ name: 'refund' }], error }, 'No.'])
    const run = new Agent({ name: 'Clerk', functions: [refund], model, retry: { firstWaitMs: 1 } }).stream('Refund')
    const events = await Array.fromAsync(run)
    expect(events.map(({ type }) => type)).toContain('tool-call')
    expect(events).not.toHaveCalledTool('refund')
    expect(await run.result).not.toHaveCalledTool('refund')
  })

  it('name the actual outcome of the run', async () => {
    const { result } = await runOnce()
    expect(() => expect(result).toHaveCalledTool('pay')).toThrow('Expected the run to call "pay". It called refund.')
    expect(() => expect(result).toHaveCalledTool('refund', { order: 8 })).toThrow('It called it with {"order":7}.')
    expect(() => expect(result).not.toHaveCalledTool('refund')).toThrow('Expected the run not to call "refund".')
    expect(() => expect(result).toHaveFinished('budget')).toThrow('to finish with "budget". It finished with "stop".')
    expect(() => expect(result).toCite('x.md')).toThrow('Expected the run to cite x.md. It cited handbook.md.')
    expect(() => expect(result).toCite('handbook.md', 'x')).toThrow(`It quoted "${quote}".`)
    expect(() => expect(result).toHaveCalledTool('refund', { order: expect.any(String) })).toThrow(
      'to call "refund" with {"order": Any<String>}. It called it with {"order":7}.',
    )
  })

  it('search a pattern from the start, also one with the flag g', async () => {
    const { result } = await runOnce()
    const [file, text] = [/hand/g, /14 days/g]
    expect(result).toCite(file, text)
    expect(result).toCite(file, text)
  })

  it('end the message of an error with one full stop', async () => {
    const agent = new Agent({ name: 'Empty', model: scriptedModel([]) })
    const result = await agent.stream('Hi').result
    expect(() => expect(result).toHaveFinished()).toThrow(/: The scripted model .*[^.]\.$/)
  })

  it('refuse a value that is no run', () => {
    expect(() => expect('text').toHaveFinished()).toThrow('Pass the result of a run')
    expect(() => expect(undefined).toCite('a')).toThrow('Pass the result of a run')
    const messages = [{ role: 'user', content: 'Refund' }]
    expect(() => expect(messages).not.toHaveCalledTool('refund')).toThrow('Pass the result of a run')
  })
})
