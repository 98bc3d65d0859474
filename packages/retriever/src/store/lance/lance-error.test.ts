import { AgentKitError } from '@agentkit/core'
import { expect, it } from 'vitest'
import { guardOf } from './lance-error.ts'

const guard = guardOf('/index')

it.each([
  'Retryable commit conflict for version 7: …',
  'Incompatible transaction: This CreateIndex transaction is incompatible with concurrent transaction Overwrite at version 2., …',
  'Too many concurrent writers. …',
])('makes a change again when another one got in its way: %s', async (words) => {
  let attempts = 0
  const version = await guard('write the index', async () => {
    attempts++
    if (attempts < 3) throw new Error(`lance error: ${words}`)
    return 8
  })
  expect([version, attempts]).toEqual([8, 3])
})

it('names a fix for any other error, and keeps the cause', async () => {
  const cause = new Error('lance error: Not found: index/x.lance/data/1.lance, /usr/local/cargo/registry/src/io.rs:12')
  const failed = guard('read the index', () => Promise.reject(cause))
  await expect(failed).rejects.toMatchObject({ code: 'storage', cause })
  await expect(failed).rejects.toThrow('delete the folder /index: the next sync builds it again')
  await expect(failed).rejects.not.toThrow('/usr/local/cargo')
})

it.each([
  [13, 'Permission denied', 'Allow this user to read and write the folder /index.'],
  [30, 'Read-only file system', 'Allow this user to read and write the folder /index.'],
  [28, 'No space left on device', 'Free space on the disk of /index.'],
])('does not say to delete an index because of the error %i of the system', async (code, words, fix) => {
  const cause = new Error(`lance error: LanceError(IO): ${words} (os error ${code}) at path "/index/data/.tmp"`)
  const failed = guard('write the index', () => Promise.reject(cause))
  await expect(failed).rejects.toThrow(fix)
  await expect(failed).rejects.not.toThrow('delete')
})

it('thinks of the way to it first where the index is somewhere else', async () => {
  const failed = guardOf('s3://bucket/index')('open the index', () => Promise.reject(new Error('no route')))
  await expect(failed).rejects.toThrow('Check that it can be reached')
})

it('leaves our own errors as they are', async () => {
  const error = new AgentKitError('missing-package', 'Run: npm i it')
  await expect(guard('open the index', () => Promise.reject(error))).rejects.toBe(error)
})
