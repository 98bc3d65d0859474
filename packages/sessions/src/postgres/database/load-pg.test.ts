import { expect, it } from 'vitest'
import { loadPg } from './load-pg.ts'

it('names the command that installs the driver', async () => {
  // How Node reports a package that is not there.
  const missing = Object.assign(new Error("Cannot find package 'pg' imported from here"), {
    code: 'ERR_MODULE_NOT_FOUND',
  })
  await expect(loadPg(() => Promise.reject(missing))).rejects.toMatchObject({
    code: 'missing-package',
    message: expect.stringContaining('npm i @agentkit/queue-postgres pg'),
  })
})

it('reports a driver that is broken as it is', async () => {
  const broken = Object.assign(new Error("Cannot find package 'pg-types' imported from pg"), {
    code: 'ERR_MODULE_NOT_FOUND',
  })
  await expect(loadPg(() => Promise.reject(broken))).rejects.toBe(broken)
})

it('loads it', async () => {
  expect((await loadPg()).Pool).toBeTypeOf('function')
})
