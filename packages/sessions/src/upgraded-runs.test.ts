import { Agent, type AgentOptions, type Message, type Model, type SessionStore, tool } from '@agentkit/core'
import { scriptedModel } from '@agentkit/testing'
import { describe, expect, it } from 'vitest'
import { storeKinds, storePlace } from './__fixtures__/store-places.ts'

const input = { type: 'object' }
const pay = tool({ name: 'pay', description: 'Pays.', input, needsApproval: true, execute: () => 'paid' })
const look = tool({ name: 'look', description: 'Looks.', input, execute: () => 'seen' })

type Seen = { messages: readonly Message[]; tools: string[] }

/** Pays, looks where it can, and then answers. */
function clerk(sessions: SessionStore, seen: Seen[], options: Partial<AgentOptions> = {}): Agent {
  const model: Model = {
    id: 'test/clerk',
    stream(request, signal) {
      const tools = (request.tools ?? []).map(({ name }) => name)
      seen.push({ messages: request.messages, tools })
      const step = request.messages.filter(({ role }) => role === 'assistant').length
      const name = step === 0 ? 'pay' : step === 1 && tools.includes('look') ? 'look' : undefined
      return scriptedModel([name ? { toolCalls: [{ name }] } : 'All is done.']).stream(request, signal)
    },
  }
  return new Agent({ name: 'Clerk', instruction: 'Be quick.', functions: [pay], model, sessions, ...options })
}

describe.each(storeKinds)('a run in %s that waits while its agent is changed', (kind) => {
  const place = storePlace(kind)

  it('warns of the version that has begun it, not of the one that has enqueued it', async () => {
    const [first, second, third] = [{ version: '1' }, { version: '2' }, { version: '3' }].map((version) =>
      clerk(place.open(), [], version),
    ) as [Agent, Agent, Agent]
    const runs = await first.enqueueMany([{ input: 'Pay.' }, { input: 'Pay.' }])
    const begins = await second.work()
    const waiting = await Promise.all(runs.map(({ runId }) => second.result(runId)))
    const decide = async (agent: Agent, index: 0 | 1): Promise<string[]> => {
      const { runId, approvals } = waiting[index] as (typeof waiting)[number]
      await agent.decide(runId, { [approvals[0]?.approvalId ?? '']: true })
      return (await agent.result(runId)).warnings
    }
    expect(await decide(second, 0)).toEqual([])
    await begins.close()
    const continues = await third.work()
    place.afterTest(() => continues.close())
    expect(await decide(third, 1)).toEqual([
      'The run was begun by version "2" of the agent, and continued by version "3".',
    ])
  })

  it.each<[string, Partial<AgentOptions>, (results: string[], last: Seen) => void]>([
    [
      'has a tool that was added',
      { functions: [pay, look] },
      (results, { tools }) => {
        expect(results).toEqual(['pay: paid', 'look: seen'])
        expect(tools).toEqual(['pay', 'look'])
      },
    ],
    [
      'receives an error for a tool that is gone, which is not called',
      { functions: [] },
      (results) => expect(results).toEqual([expect.stringMatching(/^pay: .*(no tool|not exist|unknown)/i)]),
    ],
    [
      'has the instruction of the new version',
      { instruction: 'Be polite.' },
      (results, { messages }) => {
        expect(results).toEqual(['pay: paid'])
        expect(JSON.stringify(messages[0])).toContain('Be polite.')
      },
    ],
  ])('%s, and warns with both versions', async (_, change, check) => {
    const old = clerk(place.open(), [])
    const { runId } = await old.enqueue('Pay.', { userId: 'ann', sessionId: 's' })
    const oldWorker = await old.work()
    const { approvals } = await old.result(runId)
    await oldWorker.close()
    const [{ agentVersion: before } = {}] = await old.runs()

    const seen: Seen[] = []
    const fresh = clerk(place.open(), seen, change)
    const probe = await fresh.enqueue('Pay.', { userId: 'bob', startAfter: new Date(Date.now() + 3_600_000) })
    const [{ agentVersion: after } = {}] = await fresh.runs({ userId: 'bob' })
    await fresh.cancel(probe.runId)
    expect(after).not.toBe(before)
    const worker = await fresh.work()
    place.afterTest(() => worker.close())
    await fresh.decide(runId, { [approvals[0]?.approvalId ?? '']: true })
    const { warnings, messages, text, finishReason } = await fresh.result(runId)
    expect([finishReason, text]).toEqual(['stop', 'All is done.'])
    expect(warnings[0]).toBe(
      `The run was begun by version "${before}" of the agent, and continued by version "${after}".`,
    )
    // Tools precede all messages in a prompt.
    const what = change.functions ? 'tools' : 'instruction'
    expect(warnings.slice(1)).toEqual([
      expect.stringMatching(new RegExp(`^Step 2: the ${what} changed; \\d+ tokens were read again\\.$`)),
    ])
    const results = messages.flatMap((message) =>
      message.role === 'tool' ? [`${message.name}: ${textOf(message.content)}`] : [],
    )
    check(results, seen.at(-1) as Seen) // the model was called for the answer
  })
})

function textOf(content: Message['content']): string {
  return typeof content === 'string' ? content : content.map((part) => ('text' in part ? part.text : '')).join('')
}
