import { expect, it, onTestFinished, vi } from 'vitest'
import { nodeSQLite } from './node-sqlite.ts'

it('loads SQLite without its warning, and leaves others', () => {
  const load = process.getBuiltinModule
  const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
  onTestFinished(() => void vi.restoreAllMocks())
  const { emitWarning } = process
  vi.spyOn(process, 'getBuiltinModule').mockImplementation(((name: string) => {
    process.emitWarning('SQLite is an experimental feature and might change at any time', 'ExperimentalWarning')
    process.emitWarning('Another one.', 'ExperimentalWarning')
    return load(name)
  }) as typeof load)
  expect(nodeSQLite().DatabaseSync).toBeTypeOf('function')
  expect(warn.mock.calls).toEqual([['Another one.', 'ExperimentalWarning']])
  expect(process.emitWarning).toBe(emitWarning)
})
