import type { MemoryOwner, MemoryStore, RememberedTurn } from '@agentkit/core'
import {
  type LiveSegment,
  liveSegment,
  mergeSegments,
  mostDocs,
  queryWords,
  rank,
  segmentBuilder,
  timeSlices,
} from '@agentkit/retriever/internal'
import { limits } from './limits.ts'
import { turnText } from './turn-text.ts'

/** Turns of one session that follow each other, and are found together. */
export type FoundBlock = { turns: RememberedTurn[]; score: number }

/** The words of one user's turns with one agent, in memory: the truth is the store, which every search asks. */
export interface TurnIndex {
  /**
   * The best blocks. Turns that the store no longer has leave the index first, so that none of their words finds anything.
   * @param since of the turns, in milliseconds since 1970
   */
  search(query: string, limit: number, since: number): Promise<FoundBlock[]>
  /** The memory that the index takes. */
  bytes(): number
}

/** A turn that was indexed. A store may reuse the number of a deleted turn, so the time is compared too. */
type Indexed = { id: number; at: number }
type Block = { sessionId: string; turns: Indexed[]; chars: number; doc: number }

/** The number of searches that may find deleted turns; after them, such results are left out. */
const mostTries = 4

/** @param now the time of the store, in milliseconds since 1970 */
export function turnIndex(store: MemoryStore, owner: MemoryOwner, now: () => number = () => Date.now()): TurnIndex {
  /** The segments of the index. Their documents are blocks, whose numbers ascend. */
  let segments: LiveSegment[] = []
  const blocks = new Map<number, Block>()
  /** The last block of each session, while it takes more turns. */
  const open = new Map<string, Block>()
  /** The turns that the store may list again, with their times. */
  let recent = new Map<number, number>()
  let lastAt = Number.NEGATIVE_INFINITY
  let lastDoc = 0
  /** The start of the clock at the last look: an earlier one when the clock is set back. */
  let clockStart = Number.NEGATIVE_INFINITY
  let work: Promise<unknown> = Promise.resolve()

  /** Adds the turns that have ended since. */
  const sync = async (since: number): Promise<void> => {
    const present = now()
    const start = present - performance.now()
    // Turns have ended since at times before the last one.
    if (start < clockStart - 1_000) forget()
    clockStart = start
    const listed = await store.turns(owner, Math.max(since, lastAt - store.settlesMs))
    const fresh = listed.filter(({ id, at }) => recent.get(id) !== at).map(({ id }) => id)
    if (fresh.length > 0) await index(fresh, since)
    // A turn from when the clock was ahead is not the last one.
    lastAt = Math.min(present, Math.max(lastAt, listed.at(-1)?.at ?? lastAt))
    const kept = listed.filter(({ at }) => at >= lastAt - store.settlesMs)
    recent = new Map(kept.map(({ id, at }) => [id, at]))
  }

  const index = async (ids: readonly number[], since: number): Promise<void> => {
    const slices = timeSlices()
    let builder = segmentBuilder()
    /** Blocks of the builder that have changed since. */
    const left = new Set<number>()
    const build = async (): Promise<void> => {
      if (builder.size === 0) return
      const segment = liveSegment(await builder.build(slices), new Uint8Array(0))
      for (const doc of left) remove(segment, doc)
      left.clear()
      segments.push(segment)
      builder = segmentBuilder()
      await merge(slices)
    }
    for (let from = 0; from < ids.length; from += limits.readTurns) {
      const read = byId(await store.read(owner, ids.slice(from, from + limits.readTurns), since))
      const turns = ids.slice(from, from + limits.readTurns).flatMap((id) => read.get(id) ?? [])
      const changed = place(turns)
      // The turns that the changed blocks had before.
      const earlier = changed.flatMap(({ turns: own }) => own.flatMap(({ id }) => (read.has(id) ? [] : [id])))
      for (const [id, turn] of byId(await store.read(owner, earlier, since))) read.set(id, turn)
      for (const block of changed) {
        if (builder.isFull) await build()
        if (block.doc !== 0 && !segments.some((segment) => remove(segment, block.doc))) left.add(block.doc)
        add(block, read, builder)
        if (slices.isOver) await slices.next()
      }
    }
    await build()
  }

  /** Puts turns into blocks. @returns the blocks that have changed, in their order */
  const place = (turns: readonly RememberedTurn[]): Block[] => {
    const changed = new Set<Block>()
    for (const turn of turns) {
      const { sessionId, id, at } = turn
      const known = open.get(sessionId)
      const block = known ?? { sessionId, turns: [], chars: 0, doc: 0 }
      if (!known) open.set(sessionId, block)
      block.turns.push({ id, at })
      block.chars += turnText(turn).length
      changed.add(block)
      if (block.turns.length >= limits.blockTurns || block.chars >= limits.blockChars) open.delete(sessionId)
    }
    return [...changed]
  }

  /** Gives a block the next number, and its text to the builder. A block without turns is dropped. */
  const add = (
    block: Block,
    read: ReadonlyMap<number, RememberedTurn>,
    builder: ReturnType<typeof segmentBuilder>,
  ): void => {
    blocks.delete(block.doc)
    block.turns = block.turns.filter((turn) => isThere(turn, read))
    const texts = block.turns.map(({ id }) => turnText(read.get(id) as RememberedTurn)) // filtered above
    block.chars = texts.reduce((sum, { length }) => sum + length, 0)
    if (texts.length === 0) {
      if (open.get(block.sessionId) === block) open.delete(block.sessionId)
      return
    }
    block.doc = ++lastDoc
    blocks.set(block.doc, block)
    builder.add({ doc: block.doc, file: 0, text: texts.join('\n') })
  }

  /** Merges neighbours of similar size, so that there are few segments whatever is added. */
  const merge = async (slices: ReturnType<typeof timeSlices>): Promise<void> => {
    for (;;) {
      const [one, other] = segments.slice(-2)
      const isDone = !one || !other || one.docs >= other.docs * 2 || one.docs + other.docs > mostDocs
      if (isDone) return
      const merged = liveSegment(await mergeSegments([one, other], slices), new Uint8Array(0))
      segments = [...segments.slice(0, -2), merged]
    }
  }

  /** Removes all turns that the store no longer has, and indexes the rest of their blocks again. */
  const reconcile = async (since: number): Promise<void> => {
    const standing = byId(await store.turns(owner, since))
    const stale = [...blocks.values()].filter(({ turns }) => !turns.every((turn) => isThere(turn, standing)))
    const left = stale.flatMap(({ turns }) => turns.flatMap((turn) => (isThere(turn, standing) ? [turn.id] : [])))
    for (const { doc, sessionId } of stale) {
      for (const segment of segments) remove(segment, doc)
      blocks.delete(doc)
      open.delete(sessionId)
    }
    segments = segments.filter(({ docs }) => docs > 0)
    for (const [id, at] of recent) if (!isThere({ id, at }, standing)) recent.delete(id)
    await index(left, since)
  }

  const search: TurnIndex['search'] = async (query, limit, since) => {
    for (let tries = 1; ; tries++) {
      await sync(since)
      const found = rank(segments, queryWords(query), { limit }).flatMap(({ doc, score }) => {
        const block = blocks.get(doc)
        return block ? [{ block, score }] : []
      })
      const read = byId(
        await store.read(
          owner,
          found.flatMap(({ block }) => block.turns.map(({ id }) => id)),
          since,
        ),
      )
      const whole = found.filter(({ block }) => block.turns.every((turn) => isThere(turn, read)))
      if (whole.length === found.length || tries === mostTries) {
        // `every` covers the cast.
        return whole.map(({ block, score }) => ({
          turns: block.turns.map(({ id }) => read.get(id) as RememberedTurn),
          score,
        }))
      }
      await reconcile(since)
    }
  }

  /** A search that fails may leave it half updated: the next one, which may wait already, reads all turns again. */
  const forget = (): void => {
    segments = []
    blocks.clear()
    open.clear()
    recent.clear()
    lastAt = Number.NEGATIVE_INFINITY
  }

  return {
    search(query, limit, since) {
      const result = work.then(() => search(query, limit, since))
      work = result.catch(forget)
      return result
    },
    bytes: () => segments.reduce((sum, { segment }) => sum + sizeOf(segment), blocks.size * 200),
  }
}

function isThere({ id, at }: Indexed, found: ReadonlyMap<number, Indexed>): boolean {
  return found.get(id)?.at === at
}

function byId<Turn extends Indexed>(turns: readonly Turn[]): Map<number, Turn> {
  return new Map(turns.map((turn) => [turn.id, turn]))
}

/** Marks a document as deleted. @returns whether the segment has it */
function remove(live: LiveSegment, doc: number): boolean {
  const { segment } = live
  const { docs } = segment
  let low = 0
  let high = docs.length - 1
  while (low < high) {
    const middle = (low + high) >> 1
    if ((docs[middle] ?? 0) < doc) low = middle + 1
    else high = middle
  }
  if (docs[low] !== doc) return false
  live.isDead ??= new Uint8Array(docs.length)
  if (live.isDead[low] === 1) return true
  live.isDead[low] = 1
  live.docs--
  live.words -= segment.lengths[low] ?? 0
  return true
}

function sizeOf(segment: LiveSegment['segment']): number {
  return Object.values(segment).reduce((sum, { byteLength }) => sum + byteLength, 0)
}
