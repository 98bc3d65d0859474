import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Store, StoreSpace } from '../store/store.ts'
import { adding, makeFile, never } from './make-file.ts'
import { changeTests } from './store-change-tests.ts'
import { lookupTests } from './store-lookup-tests.ts'
import { textSearchTests } from './store-text-tests.ts'
import type { StoreUnderTest } from './store-under-test.ts'
import { vectorSearchTests } from './store-vector-tests.ts'

/** An empty space to be tested. */
export type SpaceUnderTest = {
  space: StoreSpace
  /** Another handle on the same place, as another process would open it. The test closes it. */
  reopen(): Promise<StoreSpace>
  /** Called after each test, when all is closed. */
  cleanup(): Promise<void>
}

export type StoreContractOptions = {
  /** The dimensions of the vectors; 0 for stores without vectors. 8 when absent. */
  dimensions?: number
}

/**
 * Registers the vitest tests that every `StoreSpace` and its `Store`s pass.
 *
 * @param name of the store, for the report
 * @param makeSpace makes an empty space; called before each test
 */
export function storeContract(
  name: string,
  makeSpace: () => Promise<SpaceUnderTest>,
  { dimensions: given = 8 }: StoreContractOptions = {},
): void {
  const dimensions = given === 0 ? {} : { dimensions: given }

  describe(`${name} keeps the contract of a store`, () => {
    let subject: SpaceUnderTest
    let space: StoreSpace
    let store: Store
    let handles: StoreSpace[]
    beforeEach(async () => {
      subject = await makeSpace()
      space = subject.space
      handles = [space]
      store = await space.open('first', dimensions)
    })
    afterEach(async () => {
      for (const handle of handles) await handle.close()
      await subject.cleanup()
    })

    const reopen = async (): Promise<StoreSpace> => {
      const handle = await subject.reopen()
      handles.push(handle)
      return handle
    }
    const underTest = (): StoreUnderTest => ({
      store,
      ...dimensions,
      openAgain: async () => (await reopen()).open('first', dimensions),
    })

    changeTests(underTest)
    lookupTests(underTest)
    textSearchTests(underTest)
    if (given > 0) vectorSearchTests(underTest)
    else {
      it('finds nothing by vectors, as it has none', async () => {
        await store.apply(adding(makeFile('a.md', ['One passage'])), never)
        expect(await store.searchVector(new Float32Array(8).fill(0.35), { limit: 5, filter: {} })).toEqual([])
        expect(await store.vectorsOf(['abc'])).toEqual(new Map())
      })
    }

    it('keeps generations apart', async () => {
      const second = await space.open('second', dimensions)
      await store.apply(adding(makeFile('a.md', ['An apple a day'])), never)
      await second.apply(adding(makeFile('b.md', ['A banana split'])), never)
      await second.setMeta({ embedder: 'acme/small' })

      expect((await space.generations()).sort()).toEqual(['first', 'second'])
      expect(await store.searchText('banana', { limit: 5, filter: {} })).toEqual([])
      expect(await second.searchText('banana', { limit: 5, filter: {} })).toHaveLength(1)
      expect((await store.files()).map(({ file }) => file)).toEqual(['a.md'])
      expect(await store.meta()).toEqual({})
    })

    it('drops a generation, and leaves the others', async () => {
      const second = await space.open('second', dimensions)
      await store.apply(adding(makeFile('a.md', ['An apple a day'])), never)
      await second.apply(adding(makeFile('b.md', ['A banana split'])), never)
      await store.close()
      await space.drop('first')

      expect(await space.generations()).toEqual(['second'])
      expect(await second.searchText('banana', { limit: 5, filter: {} })).toHaveLength(1)
      expect(await (await reopen()).generations()).toEqual(['second'])
      const reopened = await space.open('first', dimensions)
      expect(await reopened.count()).toBe(0)
    })

    it('drops what is not there without complaint', async () => {
      await expect(space.drop('unknown')).resolves.toBeUndefined()
    })

    it('has no generations before the first is opened', async () => {
      const other = await makeSpace()
      expect(await other.space.generations()).toEqual([])
      await other.space.close()
      await other.cleanup()
    })

    it('sees all again when it is opened again', async () => {
      const file = makeFile('guide/a.md', ['Bees make honey', 'Wasps do not'], dimensions)
      await store.apply(adding(file), never)
      await store.setMeta({ embedder: 'acme/small', trust: 0.5 })
      await store.close()
      await space.close()

      const again = await (await reopen()).open('first', dimensions)
      expect(await again.files()).toEqual([file.record])
      expect(await again.count()).toBe(2)
      expect(await again.meta()).toEqual({ embedder: 'acme/small', trust: 0.5 })
      expect((await again.searchText('honey', { limit: 5, filter: {} })).map(({ id }) => id)).toEqual([
        file.chunks[0]?.id,
      ])
      expect(await again.verify()).toEqual([])
    })

    it('is one store when it is opened twice by one handle', async () => {
      const twin = await space.open('first', dimensions)
      await store.apply(adding(makeFile('a.md', ['Bees make honey'])), never)
      expect(await twin.searchText('honey', { limit: 5, filter: {} })).toHaveLength(1)
    })

    it('closes twice without complaint', async () => {
      await store.close()
      await expect(store.close()).resolves.toBeUndefined()
      await space.close()
      await expect(space.close()).resolves.toBeUndefined()
    })
  })
}
