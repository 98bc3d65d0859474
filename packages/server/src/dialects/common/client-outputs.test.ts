import { expect, it } from 'vitest'
import { withOutputs } from './client-outputs.ts'

it('takes more decisions than a call has room for arguments', () => {
  const given = Object.fromEntries(Array.from({ length: 200_000 }, (_, place) => [`id-${place}`, true as const]))
  const { decisions } = withOutputs({ record: { approvals: [] }, approvals: [] } as never, given, new Map())
  expect(Object.keys(decisions).length).toBe(200_000)
})
