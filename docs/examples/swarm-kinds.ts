import { Agent, type SDKContext, Swarm } from 'agentkit'

export function makeSwarms(sdkContext: SDKContext): Swarm[] {
  const named = (name: string): Agent => new Agent({ name, functions: [], sdkContext })

  // The swarm's model assigns tasks to members, several at once, and writes the answer.
  const managed = new Swarm({ name: 'Team', agents: [named('Research'), named('Analyst')], sdkContext })

  // The active member hands the conversation off. The next turn begins with the last active member.
  const desk = new Swarm({
    name: 'Help Desk',
    collaboration: 'handoff',
    agents: [named('Reception'), named('Billing'), named('Technician')],
    sdkContext,
  })

  // All members at once; the swarm's model combines their answers.
  const panel = new Swarm({
    name: 'Panel',
    collaboration: 'parallel',
    agents: [named('Left'), named('Right')],
    sdkContext,
  })

  // Each member continues the previous one's work. The swarm calls no model of its own.
  const press = new Swarm({
    name: 'Press',
    collaboration: 'sequence',
    agents: [named('Writer'), named('Editor')],
    sdkContext,
  })

  // Your own routing: until the critic accepts, or has been called three times. Swarms can be members.
  const routed = new Swarm({
    name: 'Newsroom',
    agents: [press, named('Critic')],
    collaboration({ input, answers, last }) {
      if (last?.agent === 'press' && answers.length < 6) return { agent: 'critic', task: `Publish this? ${last.text}` }
      if (last?.text.startsWith('Yes') || answers.length >= 6) return undefined // the last answer is the swarm's
      return { agent: 'press', task: last ? `${input}\nThe critic says: ${last.text}` : input }
    },
    sdkContext,
  })
  return [managed, desk, panel, press, routed]
}
