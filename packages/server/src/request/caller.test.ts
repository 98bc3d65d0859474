import { Hono } from 'hono'
import { expect, it } from 'vitest'
import type { ServerEnv } from '../util/server-env.ts'
import { mayDecide } from './caller.ts'

it.each([
  ['owner', 'ada', false, true],
  ['owner', undefined, undefined, true],
  ['service', '*', false, true],
  ['service', 'ada', true, true],
  ['service', 'ada', false, false],
  ['service', undefined, undefined, false],
] as const)(
  'with approvals "%s", %s with mayApprove %s may decide: %s',
  async (approvals, principal, may, expected) => {
    const app = new Hono<ServerEnv>().get('/', (context) => {
      if (principal !== undefined) context.set('principal', principal)
      if (may !== undefined) context.set('mayApprove', may)
      return context.json(mayDecide(context, { approvals }))
    })
    expect(await (await app.request('/')).json()).toBe(expected)
  },
)
