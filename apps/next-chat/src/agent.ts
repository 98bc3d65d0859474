import { setTimeout } from 'node:timers/promises'
import { Agent, tool } from 'agentkit'
import { z } from 'zod'

const findInvoice = tool({
  name: 'findInvoice',
  description: 'Looks up an invoice: who sent it, and how many euros are due.',
  input: z.object({ invoice: z.string().describe('Number of the invoice') }),
  execute: ({ invoice }) => `Invoice ${invoice} of Baker & Sons: 250 euros are due on Friday.`,
})

const payInvoice = tool({
  name: 'payInvoice',
  description: 'Pays an invoice.',
  input: z.object({ invoice: z.string().describe('Number of the invoice'), euros: z.number() }),
  needsApproval: true,
  async execute({ invoice, euros }, { signal }) {
    await setTimeout(5_000, undefined, { signal }) // as slow as a bank: time to press Stop, or to reload the page
    return `Invoice ${invoice}: ${euros} euros paid.`
  },
})

export const agent: Agent = new Agent({
  name: 'Payer',
  instruction: 'You answer questions about invoices, and pay them.',
  functions: [findInvoice, payInvoice],
  model: process.env.AGENT_MODEL ?? 'offline/extractive', // a stand-in that needs no key
  sessions: 'agentkit-data/sessions.db', // keeps approvals, and runs whose page is reloaded
})
