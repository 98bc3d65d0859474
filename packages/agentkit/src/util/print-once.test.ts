import { expect, it, vi } from 'vitest'
import { printOnce } from './print-once.ts'

it('prints a message once, and forgets all of them after 1,000', () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
  try {
    // The module may have printed others before.
    for (let index = 0; index < 1_000; index++) printOnce(`before ${index}`)
    warn.mockClear()
    for (const _ of [1, 2]) printOnce('again')
    expect(warn.mock.calls).toEqual([['agentkit: again']])
    for (let index = 0; index < 1_000; index++) printOnce(`after ${index}`)
    warn.mockClear()
    printOnce('again')
    expect(warn).toHaveBeenCalledTimes(1)
  } finally {
    warn.mockRestore()
  }
})
