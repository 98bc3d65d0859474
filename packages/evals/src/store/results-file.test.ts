import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { limits } from '../limits.ts'
import { ResultsFile } from './results-file.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agentkit-results-'))
})
afterEach(() => rm(folder, { recursive: true }))

it('says that a file of results is too large, also where results are made again', async () => {
  const file = await open(join(folder, 'results.jsonl'), 'w')
  // The file is sparse, and takes no room.
  await file.truncate(limits.resultsBytes + 1)
  await file.close()
  const results = new ResultsFile(folder)
  const tooLarge = expect.objectContaining({
    code: 'storage',
    message: expect.stringMatching(/has 2147483649 bytes, more than 2147483648\. Delete it\.$/),
  })
  await expect(results.read()).rejects.toEqual(tooLarge)
  await expect(results.remove(new Set(['a']))).rejects.toEqual(tooLarge)
})
