import type { FileInfo, Knowledge, Passage, SyncReport, Tool } from '@agentkit/core'
import { tool } from '@agentkit/core'
import { expect, it } from 'vitest'
import { lazyKnowledge } from './lazy-knowledge.ts'

const report: SyncReport = {
  indexed: 1,
  unchanged: 0,
  removed: 0,
  pending: 0,
  chunks: 1,
  skipped: [],
  warnings: [],
  mode: 'text',
}

class FakeKnowledge implements Knowledge {
  closed = 0
  readonly #tools: Tool[] = [tool({ name: 'look', description: 'Looks.', input: { type: 'object' }, execute: () => 1 })]
  tools(): Tool[] {
    return this.#tools
  }
  async sync(): Promise<SyncReport> {
    return report
  }
  async files(): Promise<string[]> {
    return ['a.md']
  }
  async records(): Promise<FileInfo[]> {
    return [{ file: 'a.md', size: 1, status: 'ok' }]
  }
  async passage(chunkId: string): Promise<Passage> {
    return { file: 'a.md', start: 0, end: 1, quote: chunkId, before: '', after: '' }
  }
  separate = false
  separateUsers(): void {
    this.separate = true
  }
  async close(): Promise<void> {
    this.closed++
  }
}

it('is created once, by the first call', async () => {
  let made = 0
  const reports: SyncReport[] = []
  const lazy = lazyKnowledge(
    async () => {
      made++
      return new FakeKnowledge()
    },
    (synced) => reports.push(synced),
  )
  expect(lazy.tools()).toEqual([])
  expect(made).toBe(0)
  expect(await Promise.all([lazy.sync(), lazy.files()])).toEqual([report, ['a.md']])
  expect(made).toBe(1)
  expect(reports).toEqual([report])
  expect(lazy.tools()).toHaveLength(1)
})

it('tries again after a failed creation', async () => {
  let tries = 0
  const lazy = lazyKnowledge(async () => {
    if (++tries === 1) throw new Error('not yet')
    return new FakeKnowledge()
  })
  await expect(lazy.sync()).rejects.toThrow('not yet')
  expect(await lazy.sync()).toBe(report)
})

it('closes the instance that it has created, and creates none in order to close it', async () => {
  const knowledge = new FakeKnowledge()
  let made = 0
  const lazy = lazyKnowledge(async () => {
    made++
    return knowledge
  })
  await lazy.close()
  expect(made).toBe(0)
  await expect(lazy.files()).rejects.toThrow('closed')

  const other = lazyKnowledge(async () => knowledge)
  await other.load()
  await other.close()
  expect(knowledge.closed).toBe(1)
})

it('names its folder and the types of its files before it is created', () => {
  const lazy = lazyKnowledge(async () => new FakeKnowledge(), undefined, { folder: 'docs', exts: ['.md'] })
  expect(lazy).toMatchObject({ folder: 'docs', exts: ['.md'] })
})

it.each(['before', 'after'])('separates users when it is asked %s its creation', async (when) => {
  const knowledge = new FakeKnowledge()
  const lazy = lazyKnowledge(async () => knowledge)
  if (when === 'after') await lazy.load()
  lazy.separateUsers?.()
  expect(await lazy.passage?.('x')).toMatchObject({ quote: 'x' })
  expect(await lazy.records?.()).toHaveLength(1)
  expect(knowledge.separate).toBe(true)
})
