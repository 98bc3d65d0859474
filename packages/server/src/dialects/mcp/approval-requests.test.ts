import type { Approval } from '@agentkit/core'
import { beforeAll, describe, expect, it } from 'vitest'
import { fakeAgent } from '../../__fixtures__/fake-agent.ts'
import { approvalRequests, areAskable, readResponses } from './approval-requests.ts'
import { loadMCP } from './load-mcp.ts'
import { localHost } from './local-host.ts'

const host = localHost(fakeAgent(), {})
const approval = (kind: Approval['kind'], input: unknown = { amount: 5 }): Approval => ({
  ...{ approvalId: `apr_${kind}`, callId: 'c', name: 'pay', input, kind },
})

beforeAll(() => loadMCP())

describe('the question to the user of a client', () => {
  it.each([
    ['approval', /wants to call "pay" with \{"amount":5\}\. May it\?/],
    ['unknown-outcome', /whether it has happened is unknown\. Approve to call it again\./],
  ] as const)('says what is decided: %s', (kind, sentence) => {
    const { inputRequests, requestState } = approvalRequests(host, 'run_1', [approval(kind)])
    expect(requestState).toBe('run_1')
    expect(Object.values(inputRequests ?? {})).toMatchObject([{ params: { message: expect.stringMatching(sentence) } }])
  })

  it('shows the start of a long input', () => {
    const { inputRequests } = approvalRequests(host, 'run_1', [approval('approval', { text: 'a'.repeat(100_000) })])
    expect(JSON.stringify(inputRequests).length).toBeLessThan(4_000)
    expect(JSON.stringify(inputRequests)).toContain('(100011 characters)')
  })

  it('cuts no character of it in half', () => {
    const { inputRequests } = approvalRequests(host, 'run_1', [approval('approval', '😀'.repeat(2_000))])
    const [request] = Object.values(inputRequests ?? {})
    expect(JSON.stringify(request)).not.toContain('\\ud83d')
  })

  it('is not asked for the result of a client’s tool, which no form can have', () => {
    expect(areAskable([approval('approval')])).toBe(true)
    expect(areAskable([approval('approval'), approval('client-tool')])).toBe(false)
    expect(areAskable([])).toBe(false)
  })
})

describe('the answers', () => {
  const yes = { action: 'accept', content: { approve: true } }

  it('decide on open approvals only, and on no result of a client’s tool', () => {
    const open = [approval('approval'), approval('client-tool')]
    const { decisions } = readResponses({ apr_approval: yes, 'apr_client-tool': yes, apr_other: yes }, open)
    expect(decisions).toEqual({ apr_approval: true })
  })

  it('have a reason of a bounded length', () => {
    const no = { action: 'accept', content: { approve: false, reason: 'a'.repeat(20_000) } }
    const { decisions } = readResponses({ apr_approval: no }, [approval('approval')])
    expect(decisions).toEqual({ apr_approval: { deny: 'a'.repeat(10_000) } })
  })

  it('of a prototype are none', () => {
    const responses = Object.create({ apr_approval: yes })
    expect(readResponses(responses, [approval('approval')]).decisions).toEqual({})
  })
})
