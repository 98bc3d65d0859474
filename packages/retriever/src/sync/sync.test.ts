import { readdir, rename, rm, symlink, utimes } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { AgentKitError, type SyncProgress } from '@agentkit/core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { countingEmbedder } from '../__fixtures__/counting-embedder.ts'
import { temporaryFolder } from '../__fixtures__/temporary-folder.ts'
import { type TestLibrary, testLibrary } from '../__fixtures__/test-retriever.ts'
import type { Retriever } from '../retriever.ts'

let library: TestLibrary
beforeEach(async () => {
  library = await testLibrary()
})
afterEach(() => library.close())

const write = (file: string, content: string): Promise<void> => library.files.write(file, content)
const quotes = async (retriever: Retriever, query: string): Promise<string[]> =>
  (await retriever.search(query)).map(({ quote }) => quote)
const paragraphs = (count: number, word = 'Paragraph'): string =>
  Array.from({ length: count }, (_, index) => `${word} ${index}`).join('\n\n')

describe('changed files', () => {
  it('is found at the next sync: new, changed and removed files', async () => {
    const retriever = library.retriever()
    await write('bees.md', 'Bees make honey\n\nBees dance')
    await write('wasps.md', 'Wasps make paper')
    expect(await retriever.sync()).toEqual({
      indexed: 2,
      unchanged: 0,
      removed: 0,
      pending: 0,
      chunks: 3,
      skipped: [],
      warnings: [],
      mode: 'text',
    })
    expect(await retriever.sync()).toMatchObject({ indexed: 0, unchanged: 2, removed: 0, chunks: 3 })

    await write('bees.md', 'Bees make wax')
    await write('ants.md', 'Ants make hills')
    await rm(join(library.files.path, 'wasps.md'))
    expect(await retriever.sync()).toMatchObject({ indexed: 2, unchanged: 0, removed: 1, chunks: 2 })
    expect(await retriever.files()).toEqual(['ants.md', 'bees.md'])
    expect(await quotes(retriever, 'make')).toEqual(expect.arrayContaining(['Bees make wax', 'Ants make hills']))
    expect(await quotes(retriever, 'honey')).toEqual([])
  })

  it('is not read when size and time are the same', async () => {
    const retriever = library.retriever()
    const old = new Date('2020-01-01T00:00:00.123Z')
    await write('a.md', 'One')
    await new Promise((resolve) => setTimeout(resolve, 60))
    await retriever.sync()
    library.pool.wasRead.length = 0
    await retriever.sync()
    expect(library.pool.wasRead).toEqual([])

    // Another time and the same bytes: only the record changes.
    await utimes(join(library.files.path, 'a.md'), old, old)
    const changes = library.space.applied.length
    expect(await retriever.sync()).toMatchObject({ indexed: 0, unchanged: 1 })
    expect(library.pool.wasRead).toEqual(['a.md'])
    expect(library.space.applied[changes]?.changed[0]?.chunks).toBe('keep')
  })

  it('is detected in a file that was written again at once, with the same size', async () => {
    const retriever = library.retriever()
    await write('a.md', 'One')
    await retriever.sync()
    await write('a.md', 'Two')
    await retriever.sync()
    expect(await quotes(retriever, 'two')).toEqual(['Two'])
  })

  it('is read and applied in batches, while others continue', async () => {
    const retriever = library.retriever()
    for (let index = 0; index < 550; index++) await write(`${index % 7}/${index}.md`, `Number ${index}`)
    expect(await retriever.sync()).toMatchObject({ indexed: 550, chunks: 550 })
    expect(library.space.applied.map(({ changed }) => changed.length)).toEqual([500, 50])
    expect(new Set(await retriever.files()).size).toBe(550)
  })

  it('is reported during the sync, and at the end', async () => {
    const retriever = library.retriever()
    for (let index = 0; index < 3; index++) await write(`${index}.md`, paragraphs(2))
    const reported: SyncProgress[] = []
    await retriever.sync({ onProgress: (progress) => reported.push(progress) })
    expect(reported[0]).toMatchObject({ files: 3, filesDone: 0, bytesDone: 0, chunks: 0 })
    expect(reported.at(-1)).toMatchObject({ files: 3, filesDone: 3, bytes: 72, bytesDone: 72, chunks: 6 })
  })

  it('is never read from outside the folder through a link that replaces a file or a folder', async () => {
    const retriever = library.retriever()
    const outside = await temporaryFolder()
    await outside.write('secret.md', 'The secret')
    for (const file of ['a.md', 'b/secret.md', 'known.md']) await write(file, 'Harmless')
    library.pool.beforeRead = async (file) => {
      const path = join(library.files.path, file)
      const swapped = file === 'b/secret.md' ? dirname(path) : path
      await rename(swapped, `${outside.path}/${basename(swapped)}.away`)
      await symlink(file === 'b/secret.md' ? outside.path : join(outside.path, 'secret.md'), swapped)
    }
    expect(await retriever.sync()).toMatchObject({ indexed: 0, chunks: 0, skipped: [] })
    library.pool.beforeRead = () => {}
    expect(await retriever.sync()).toMatchObject({
      indexed: 0,
      skipped: [
        { file: 'a.md', reason: expect.stringContaining('leads out of the folder') },
        { file: 'b/', reason: expect.stringContaining('leads out of the folder') },
        { file: 'known.md', reason: expect.stringContaining('leads out of the folder') },
      ],
    })
    await outside.remove()
  })

  it('is read by the next sync when another file replaced one, without a report', async () => {
    const retriever = library.retriever()
    await write('known.md', 'One')
    await retriever.sync()
    await write('known.md', 'Number two')
    await write('new.md', 'First')
    const replace = async (file: string): Promise<void> => {
      await write(`${file}.draft`, `Saved as ${file}`)
      // The old one keeps its inode, which the new one could get otherwise.
      await rename(join(library.files.path, file), join(library.files.path, `.${file}`))
      await rename(join(library.files.path, `${file}.draft`), join(library.files.path, file))
    }
    library.pool.beforeRead = replace
    const before = await quotes(retriever, 'one')
    expect(await retriever.sync()).toMatchObject({ indexed: 0, unchanged: 1, removed: 0, skipped: [] })
    expect(await retriever.files()).toEqual(['known.md'])
    expect([before, await quotes(retriever, 'one')]).toEqual([['One'], ['One']])

    library.pool.beforeRead = () => {}
    expect(await retriever.sync()).toMatchObject({ indexed: 2, skipped: [] })
    expect((await quotes(retriever, 'saved')).sort()).toEqual(['Saved as known.md', 'Saved as new.md'])
  })

  it('is one change for a renamed file, which is never there twice', async () => {
    const retriever = library.retriever()
    await write('old.md', 'Bees make honey')
    await retriever.sync()
    await rename(join(library.files.path, 'old.md'), join(library.files.path, 'new.md'))
    expect(await retriever.sync()).toMatchObject({ indexed: 1, removed: 1, unchanged: 0 })
    expect(library.space.applied).toHaveLength(2)
    expect(library.space.applied[1]).toMatchObject({ changed: [{ record: { file: 'new.md' } }], removed: ['old.md'] })
  })
})

describe('unreadable files', () => {
  it('is reported by every sync, and read again when it changes', async () => {
    const retriever = library.retriever()
    await write('a.md', '%broken')
    await write('b.md', 'Some %garbled text')
    await write('c.doc', 'old')
    await new Promise((resolve) => setTimeout(resolve, 60))
    const notes = {
      skipped: [
        { file: 'a.md', status: 'corrupt', reason: 'It is broken.' },
        { file: 'c.doc', status: 'unsupported', reason: expect.stringContaining('save it as .docx') },
      ],
      warnings: [{ file: 'b.md', status: 'low-quality', reason: 'It is garbled.' }],
    }
    expect(await retriever.sync()).toMatchObject({ ...notes, indexed: 1, unchanged: 0 })
    library.pool.wasRead.length = 0
    expect(await retriever.sync()).toMatchObject({ ...notes, indexed: 0, unchanged: 1 })
    expect(library.pool.wasRead).toEqual([])
    expect(await retriever.files()).toEqual(['b.md'])

    await write('a.md', 'Mended')
    expect(await retriever.sync()).toMatchObject({ indexed: 1, skipped: [notes.skipped[1]] })
  })

  it('keeps the previous text of the file, as stale, until it is readable again', async () => {
    const retriever = library.retriever()
    await write('a.md', 'Bees make honey')
    await retriever.sync()
    await write('a.md', '%broken bees')
    const skipped = [{ file: 'a.md', status: 'corrupt', reason: expect.stringContaining('It is broken. What it said') }]
    expect(await retriever.sync()).toMatchObject({ indexed: 0, unchanged: 0, skipped, chunks: 1 })
    expect(await retriever.sync()).toMatchObject({ indexed: 0, unchanged: 0, skipped, chunks: 1 })
    expect(await retriever.search('honey')).toMatchObject([{ quote: 'Bees make honey', stale: true }])
    expect(await retriever.files()).toEqual(['a.md'])

    await write('a.md', 'Bees make wax')
    expect(await retriever.sync()).toMatchObject({ indexed: 1, skipped: [] })
    const [hit] = await retriever.search('wax')
    expect(hit).not.toHaveProperty('stale')
    expect(await retriever.records()).toEqual([expect.not.objectContaining({ stale: true })])
  })

  it('is removed when the file was emptied', async () => {
    const retriever = library.retriever()
    await write('a.md', 'Bees make honey')
    await retriever.sync()
    await write('a.md', '')
    expect(await retriever.sync()).toMatchObject({ chunks: 0, skipped: [{ file: 'a.md', status: 'no-text' }] })
    expect(await quotes(retriever, 'honey')).toEqual([])
  })

  it('is no failure when the file is deleted before its turn', async () => {
    const retriever = library.retriever()
    await write('a.md', 'Bees make honey')
    await write('b.md', 'Wasps make paper')
    await retriever.sync()
    await write('a.md', 'Bees make wax!')
    await write('c.md', 'Never seen')
    library.pool.beforeRead = (file) => (file === 'b.md' ? undefined : rm(join(library.files.path, file)))
    expect(await retriever.sync()).toMatchObject({ indexed: 0, unchanged: 1, removed: 1, skipped: [] })
    expect(await retriever.files()).toEqual(['b.md'])
  })
})

describe('an embedder', () => {
  it('is called once for each text, and only for new ones', async () => {
    const embedder = countingEmbedder()
    const retriever = library.retriever({ embedder })
    await write('a.md', paragraphs(20))
    await write('b.md', `${paragraphs(20)}\n\nAnother one`)
    expect(await retriever.sync()).toMatchObject({ mode: 'hybrid', chunks: 41 })
    // One request measures the length of its vectors.
    expect(embedder.texts.splice(0)).toHaveLength(22)

    await write('a.md', `${paragraphs(19)}\n\nOne edited line`)
    await retriever.sync()
    expect(embedder.texts.splice(0)).toEqual(['One edited line'])

    await rename(join(library.files.path, 'b.md'), join(library.files.path, 'c.md'))
    expect(await retriever.sync()).toMatchObject({ indexed: 1, removed: 1 })
    expect(embedder.texts).toEqual([])
  })

  it('is paid once for its vectors before a failure', async () => {
    const embedder = countingEmbedder('acme/small', { dimensions: 8 })
    const retriever = library.retriever({ embedder })
    await write('a.md', paragraphs(600))
    embedder.before = (texts) => {
      if (texts.includes('Paragraph 599')) throw new AgentKitError('quota', 'No money left.')
    }
    await expect(retriever.sync()).rejects.toMatchObject({ code: 'quota' })
    embedder.before = () => {}
    expect(await retriever.sync()).toMatchObject({ indexed: 1, chunks: 600 })
    expect(new Set(embedder.texts).size).toBe(600)
    expect(embedder.texts).toHaveLength(600)
  })

  it('leaves the changes before its failure searchable', async () => {
    const embedder = countingEmbedder('acme/small', { dimensions: 8 })
    const retriever = library.retriever({ embedder })
    for (let index = 0; index < 501; index++) await write(`${index}.md`, `Number ${index}`)
    embedder.before = () => {
      if (library.space.applied.length === 1) throw new AgentKitError('quota', 'No money left.')
    }
    library.pool.beforeRead = (file) => (file === '77.md' ? untilApplied() : undefined)
    await expect(retriever.sync()).rejects.toMatchObject({ code: 'quota' })
    expect(await quotes(retriever, 'number 1')).not.toEqual([])
    embedder.before = () => {}
    expect(await retriever.sync()).toMatchObject({ indexed: 1, unchanged: 500 })
    expect(embedder.texts).toHaveLength(501)
  })

  it('whose failure keeps a new file out keeps no deleted one in, and none that may be renamed out', async () => {
    const embedder = countingEmbedder('acme/small', { dimensions: 8 })
    const retriever = library.retriever({ embedder })
    const at = (file: string): string => join(library.files.path, file)
    await write('gone.md', 'What wasps do is secret')
    await write('bees.md', 'Bees make honey')
    await retriever.sync()
    await rm(at('gone.md'))
    await rename(at('bees.md'), at('renamed.md'))
    await write('new.md', 'Ants make hills, far away')
    embedder.before = (texts) => {
      if (texts.some((text) => text.includes('Ants'))) throw new AgentKitError('quota', 'No money left.')
    }
    await expect(retriever.sync()).rejects.toMatchObject({ code: 'quota' })
    expect(await retriever.files()).toEqual(['bees.md'])
    embedder.before = () => {}
    expect(await retriever.sync()).toMatchObject({ chunks: 2 })
    expect(embedder.texts).toEqual([...new Set(embedder.texts)])
  })

  async function untilApplied(): Promise<void> {
    while (library.space.applied.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
  }

  it('with longer vectors under the same name gets a new index', async () => {
    await write('a.md', paragraphs(3))
    await library.retriever({ embedder: countingEmbedder('acme/small', { makes: 8 }) }).sync()
    await write('b.md', 'Something else')
    const longer = countingEmbedder('acme/small', { makes: 16 })
    const retriever = library.retriever({ embedder: longer })
    expect(await retriever.sync()).toMatchObject({ chunks: 4 })
    expect(await library.space.generations()).toEqual([expect.stringMatching(/-16$/)])
    expect((await retriever.search('something'))[0]).toMatchObject({ quote: 'Something else' })
  })

  it('that declares another length than it returns is an error with the fix', async () => {
    await write('a.md', 'One')
    const retriever = library.retriever({ embedder: countingEmbedder('acme/small', { dimensions: 3, makes: 8 }) })
    await expect(retriever.sync()).rejects.toMatchObject({ code: 'invalid-config' })
  })

  it('is not paid again after a sync without it', async () => {
    await write('a.md', paragraphs(3))
    const embedder = countingEmbedder('acme/small', { dimensions: 8 })
    await library.retriever({ embedder }).sync()
    const without = library.retriever()
    expect(await without.sync()).toMatchObject({ mode: 'text', indexed: 1 })
    expect(await without.search('paragraph 1')).toHaveLength(1)
    embedder.texts.length = 0
    expect(await library.retriever({ embedder }).sync()).toMatchObject({ mode: 'hybrid', unchanged: 1 })
    expect(embedder.texts).toEqual([])
    expect(await library.space.generations()).toHaveLength(1)
  })

  it('gets a new index beside the old one, which serves until then', async () => {
    await write('a.md', 'Bees make honey')
    const reader = library.retriever({ embedder: countingEmbedder('acme/small', { dimensions: 8 }) })
    await reader.sync()
    const other = countingEmbedder('acme/large', { dimensions: 8 })
    const retriever = library.retriever({ embedder: other })
    // The search uses words, because the vectors belong to the old model.
    expect(await quotes(retriever, 'honey')).toEqual(['Bees make honey'])
    const found: string[][] = []
    other.before = async (texts) => {
      if (texts[0] === 'Bees make honey') found.push(await quotes(retriever, 'honey'))
    }
    await retriever.sync()
    expect(found).toEqual([['Bees make honey']])
    expect(await retriever.search('honey')).toMatchObject([{ quote: 'Bees make honey' }])
    // The other one continues with its own index, for as long as it uses it.
    expect(await quotes(reader, 'honey')).toEqual(['Bees make honey'])
    expect(await library.space.generations()).toHaveLength(2)
  })

  it('is paid once when two alternate, and the one that is not used any more is dropped', async () => {
    await write('a.md', paragraphs(5))
    const small = countingEmbedder('acme/small', { dimensions: 8 })
    const large = countingEmbedder('acme/large', { makes: 16 })
    const two = [library.retriever({ embedder: small }), library.retriever({ embedder: large })] as const
    for (const retriever of [...two, ...two, ...two]) await retriever.sync()
    expect(small.texts).toHaveLength(5)
    // One request measures the length of its vectors.
    expect(large.texts).toHaveLength(6)

    // A journal keeps what a sync that fails has paid.
    await write('b.md', paragraphs(600, 'Another'))
    small.before = (texts) => {
      if (texts.includes('Another 599')) throw new AgentKitError('quota', 'No money left.')
    }
    await expect(two[0].sync()).rejects.toMatchObject({ code: 'quota' })
    const index = join(dirname(library.files.path), 'index')
    const journals = async () => (await readdir(index, { recursive: true })).filter((file) => /embeddings-/.test(file))
    expect(await journals()).not.toEqual([])

    const name = (await library.space.generations()).find((generation) => generation.endsWith('-8')) ?? ''
    const store = await library.space.open(name, {})
    const old = '2020-01-01T00:00:00.000Z'
    await store.setMeta({ ...(await store.meta()), completedAt: old, usedAt: old })
    await store.close()
    await two[1].sync()
    expect(await library.space.generations()).toEqual([expect.stringMatching(/-16$/)])
    expect(await journals()).toEqual([])
  })

  it('is paid once also when its first sync failed and another one synced between', async () => {
    await write('a.md', paragraphs(600))
    const small = countingEmbedder('acme/small', { dimensions: 8 })
    const retriever = library.retriever({ embedder: small })
    small.before = (texts) => {
      if (texts.includes('Paragraph 599')) throw new AgentKitError('quota', 'No money left.')
    }
    await expect(retriever.sync()).rejects.toMatchObject({ code: 'quota' })
    await library.retriever({ embedder: countingEmbedder('acme/large', { dimensions: 8 }) }).sync()
    small.before = () => {}
    await retriever.sync()
    expect(small.texts).toHaveLength(600)
  })
})

describe('a missing folder', () => {
  it('is no reason to remove its files, which were paid for', async () => {
    const embedder = countingEmbedder('acme/small', { dimensions: 8 })
    const retriever = library.retriever({ embedder })
    await write('a.md', 'Bees make honey')
    await retriever.sync()
    const away = `${library.files.path}-away`
    await rename(library.files.path, away)
    const gone = {
      code: 'storage',
      message: expect.stringMatching(/not there any more.*1 file of it.*delete the index/),
    }
    await expect(retriever.sync()).rejects.toMatchObject(gone)
    await expect(retriever.sync()).rejects.toMatchObject(gone)
    expect(await quotes(retriever, 'honey')).toEqual(['Bees make honey'])
    await rename(away, library.files.path)
    embedder.texts.length = 0
    expect(await retriever.sync()).toMatchObject({ indexed: 0, unchanged: 1 })
    expect(embedder.texts).toEqual([])
  })

  it('is created when nothing is known of it, and one that was emptied is empty', async () => {
    const retriever = library.retriever()
    expect(await retriever.sync()).toMatchObject({ indexed: 0 })
    await write('a.md', 'Bees make honey')
    await retriever.sync()
    await rm(join(library.files.path, 'a.md'))
    expect(await retriever.sync()).toMatchObject({ removed: 1, chunks: 0 })
  })
})

describe('an abort', () => {
  it('stops a sync, and keeps the finished files', async () => {
    const retriever = library.retriever()
    for (let index = 0; index < 510; index++) await write(`${index}.md`, `Number ${index}`)
    const controller = new AbortController()
    library.space.beforeApply = () => {
      if (library.space.applied.length === 1) controller.abort()
    }
    await expect(retriever.sync({ signal: controller.signal })).rejects.toMatchObject({ code: 'aborted' })
    const finished = (await retriever.files()).length
    expect(finished).toBe(500)
    expect(await retriever.sync()).toMatchObject({ indexed: 10, unchanged: 500 })
  })

  it('before the start sends no request', async () => {
    const retriever = library.retriever()
    await expect(retriever.sync({ signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'aborted' })
    expect(await library.space.generations()).toEqual([])
  })
})
