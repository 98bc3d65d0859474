import { type Agent, type Workflow, workflow } from 'agentkit'

type Ticket = { kind: 'refund'; amount: number } | { kind: 'question'; text: string }

export function makeDesk(support: Agent, clerk: Agent): Workflow<Ticket, string> {
  const refund = workflow<Extract<Ticket, { kind: 'refund' }>>({ name: 'Refund', budget: { modelCalls: 3 } })
    .branch(({ amount }) => (amount > 100 ? 'large' : 'small'), {
      small: ({ amount }) => `Refund ${amount} at once.`,
      large: clerk,
    })
    .step((text) => `${text}\nThank you for your patience.`)

  return workflow<Ticket>({ name: 'Desk' }).branch((ticket) => ticket.kind === 'refund', refund, support)
}
