import { describe, expect, it } from 'vitest'
import { refuseUnhandledRejections } from '../__fixtures__/rejections.ts'
import { callingThen, lastWords, member, paying, saying, thinking } from '../__fixtures__/team.ts'
import { AgentKitError, type Decision, type RunResult, Swarm, type SwarmOptions, tool } from '../index.ts'

refuseUnhandledRejections()

async function decided(swarm: Swarm, result: RunResult): Promise<RunResult> {
  const decisions: [string, Decision][] = result.approvals.map(({ approvalId }) => [approvalId, true])
  return swarm.resume(result.runId, Object.fromEntries(decisions)).result
}

describe('a swarm that is handed the conversation asks its own members', () => {
  const desk = (agents: SwarmOptions['agents']): Swarm => {
    return new Swarm({ name: 'Desk', collaboration: 'handoff', agents })
  }

  it.each(['at once', 'after an approval'])('where a tool had the name of one of them: %s', async (when) => {
    const look = tool({ name: 'cas', description: 'Looks.', input: { type: 'object' }, execute: () => 'By a tool.' })
    const ann = member('Ann', saying([['cas']], [['transfer_to_press']]), { functions: [look] })
    const paid: string[] = []
    const calls: [string, object][] = when === 'at once' ? [] : [['pay', { amount: 1 }]]
    const cas = member('Cas', calls.length > 0 ? callingThen(calls, 'By Cas.') : saying('By Cas.'), {
      functions: [paying(paid)],
    })
    const dan = member(
      'Dan',
      thinking((request) => `Dan has read: ${lastWords(request)}`),
    )
    const press = new Swarm({ name: 'Press', collaboration: 'sequence', agents: [cas, dan] })
    const swarm = desk([ann, press])
    const first = await swarm.stream('Go').result
    expect(first.finishReason).toBe(calls.length > 0 ? 'approval' : 'stop')
    const { text } = calls.length > 0 ? await decided(swarm, first) : first
    expect(text).toBe('Dan has read: Go\n\nCas has answered:\nBy Cas.')
    expect(paid).toHaveLength(calls.length)
  })

  it('where another swarm had asked the same ones', async () => {
    const shared = [member('Cas'), member('Dan')]
    const model = saying([['cas', { task: 'Look.' }]], [['transfer_to_panel']])
    const boss = new Swarm({ name: 'Boss', agents: shared, model })
    const reads = thinking(({ messages }) => `${messages.filter(({ role }) => role === 'tool').length} results`)
    const panel = new Swarm({ name: 'Panel', collaboration: 'parallel', agents: shared, model: reads })
    // The call of Boss, the handoff, and both members of Panel.
    expect((await desk([boss, panel]).stream('Go').result).text).toBe('4 results')
  })
})

describe('a swarm that continues after an approval ends as one that did not wait', () => {
  const failing = member(
    'Bob',
    thinking(() => {
      throw new AgentKitError('rate-limit', 'Slow down.', { retryable: true })
    }),
    { retry: { attempts: 1 } },
  )
  const payer = (needsApproval: boolean) => {
    const pay = { ...paying([]), needsApproval }
    return member('Ann', callingThen([['pay', { amount: 1 }]], 'Paid.'), { functions: [pay] })
  }
  const endOf = async (make: (needsApproval: boolean) => Swarm): Promise<RunResult[]> => {
    const swarm = make(true)
    let result: RunResult = await swarm.stream('Go').result
    expect(result.finishReason).toBe('approval')
    while (result.finishReason === 'approval') result = await decided(swarm, result)
    return [await make(false).stream('Go').result, result]
  }

  it('with the code of the member that had failed meanwhile', async () => {
    const [direct, resumed] = await endOf((needsApproval) => {
      const collaboration: SwarmOptions['collaboration'] = ({ answers }) => (answers.length > 0 ? [] : ['ann', 'bob'])
      return new Swarm({ name: 'Team', collaboration, agents: [payer(needsApproval), failing] })
    })
    expect(direct?.error).toMatchObject({ code: 'rate-limit', retryable: true })
    expect(resumed?.error).toMatchObject({ code: 'rate-limit', retryable: true, message: direct?.error?.message })
  })

  it.each([1, 2])('with the answers of its members, where it is stopped in step %i', async (maxSteps) => {
    const [direct, resumed] = await endOf((needsApproval) => {
      const ann = payer(needsApproval)
      const dan = member(
        'Dan',
        thinking((request) => `Dan: ${lastWords(request)}`),
      )
      const model = saying([['ann', { task: 'Pay.' }]], [['dan', { task: 'Again.' }]])
      return new Swarm({ name: 'Team', collaboration: 'parallel', agents: [dan, ann], model, maxSteps })
    })
    expect(direct).toMatchObject({ finishReason: 'max-steps', text: 'dan:\nDan: Go\n\nann:\nPaid.' })
    expect(resumed).toMatchObject({ finishReason: 'max-steps', text: direct?.text })
  })
})

it.each([null, 'Look.', ['Look.'], { task: null }])(
  'a parallel swarm whose model gives a member %j answers',
  async (input) => {
    const model = saying([['cas', input as object]], 'Combined.')
    const swarm = new Swarm({ name: 'Team', collaboration: 'parallel', agents: [member('Cas')], model })
    expect(await swarm.stream('Go').result).toMatchObject({ finishReason: 'stop', text: 'Combined.' })
  },
)
