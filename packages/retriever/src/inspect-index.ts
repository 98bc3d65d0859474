import { accessSync, constants, statSync } from 'node:fs'
import { cp, lstat, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { counted, type Finding, shellWord, systemCode } from '@agentkit/core/internal'
import type { FileRecord } from './data/file-record.ts'
import { madeOf } from './made-of.ts'
import { openSpace } from './open-space.ts'
import { checkRetrieverOptions, isRemote, type RetrieverOptions } from './options.ts'
import type { Store } from './store/store.ts'
import { dimensionsOf, folderPrefix } from './sync/generation-name.ts'

/** An index of more bytes or files is not copied. */
const maxBytes = 300_000_000
const maxFiles = 20_000

/**
 * Checks a folder of files and its index without changing them: opening an index may write to it, so a copy is opened.
 * @throws AgentKitError for options that `createRetriever` refuses
 */
export async function inspectIndex(options: RetrieverOptions): Promise<Finding> {
  const settings = checkRetrieverOptions(options)
  const { folder, indexPath, tool } = settings
  const problem = folderProblem(folder)
  if (problem) return problem
  if (isRemote(indexPath) || tool.startsWith('cloudindex-')) {
    return { status: 'skipped', detail: 'The index is in the cloud.', fix: 'npx agentkit index --verify' }
  }
  const place = join(indexPath, tool)
  const size = await sizeOf(place)
  if (size === undefined) return { status: 'ok', detail: `There is no index of ${folder} yet: the first run makes it.` }
  if (size.bytes > maxBytes || size.files > maxFiles) {
    const detail = `The index of ${folder} has ${Math.round(size.bytes / 1e6)} MB, which is too large for this check.`
    return { status: 'skipped', detail, fix: 'npx agentkit index --verify' }
  }
  const lock = await damagedLock(join(indexPath, 'sync'))
  if (lock !== undefined) {
    return {
      status: 'fail',
      detail: `The lock ${lock} of the index is damaged: no sync can begin.`,
      fix: `rm ${shellWord(lock)}`,
    }
  }
  const remake = `rm -r ${shellWord(place)} && npx agentkit index`
  const copy = await mkdtemp(join(tmpdir(), 'agentkit-doctor-'))
  try {
    await cp(place, join(copy, tool), { recursive: true })
    const space = openSpace({ ...settings, indexPath: copy })
    try {
      const made = madeOf(settings)
      const names = (await space.generations()).filter((name) => name.startsWith(folderPrefix(made)))
      if (names.length === 0)
        return { status: 'ok', detail: `There is no index of ${folder} yet: the first run makes it.` }
      const stores = await Promise.all(
        names.map((name) => space.open(name, dimensionsOf(name) > 0 ? { dimensions: dimensionsOf(name) } : {})),
      )
      const finding = await inspectStores(stores, folder, made.embedder)
      if (finding.status !== 'fail') return finding
      return { ...finding, detail: finding.detail.replaceAll(copy, indexPath), fix: remake }
    } finally {
      await space.close()
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message.replaceAll(copy, indexPath) : String(error)
    return {
      status: 'fail',
      detail: `The index of ${folder} cannot be read: ${reason}`,
      fix: remake,
    }
  } finally {
    await rm(copy, { recursive: true, force: true })
  }
}

/** The first lock below a folder that is no database. One that has never been used is empty. */
async function damagedLock(folder: string): Promise<string | undefined> {
  const names = await readdir(folder, { recursive: true }).catch(() => [])
  for (const name of names.filter((one) => basename(one) === 'lock.db')) {
    const begin = (await readFile(join(folder, name))).subarray(0, 16).toString('latin1')
    if (begin !== '' && begin !== 'SQLite format 3\0') return join(folder, name)
  }
  return undefined
}

function folderProblem(folder: string): Finding | undefined {
  try {
    const stats = statSync(folder, { throwIfNoEntry: false })
    if (!stats)
      return {
        status: 'warn',
        detail: `There is no folder ${folder} with files.`,
        fix: `mkdir -p ${shellWord(folder)}`,
      }
    if (!stats.isDirectory()) {
      return {
        status: 'fail',
        detail: `${folder} is a file, where a folder of files is expected.`,
        fix: `mv ${shellWord(folder)} ${shellWord(`${folder}.old`)}`,
      }
    }
    accessSync(folder, constants.R_OK | constants.X_OK)
    return undefined
  } catch (error) {
    return {
      status: 'fail',
      detail: `The folder ${folder} cannot be read (${systemCode(error)}).`,
      fix: `chmod u+rx ${shellWord(folder)}`,
    }
  }
}

/** @returns `undefined` where there is no index */
async function sizeOf(place: string): Promise<{ bytes: number; files: number } | undefined> {
  let names: string[]
  try {
    names = await readdir(place, { recursive: true })
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined
    throw error
  }
  let bytes = 0
  for (const name of names.slice(0, maxFiles + 1)) bytes += (await lstat(join(place, name))).size
  return { bytes, files: names.length }
}

async function inspectStores(stores: readonly Store[], folder: string, embedder: string | undefined): Promise<Finding> {
  const metas = await Promise.all(stores.map((store) => store.meta()))
  const isComplete = (index: number): boolean => metas[index]?.completedAt !== undefined
  const all = stores.map((store, index) => ({ store, meta: metas[index], isComplete: isComplete(index) }))
  const complete = all.filter((one) => one.isComplete)
  const current = complete.find(({ meta }) => meta?.embedder === embedder) ?? complete[0] ?? all[0]
  if (!current) return { status: 'ok', detail: `There is no index of ${folder} yet: the first run makes it.` }
  const problems = await current.store.verify()
  const fix = 'npx agentkit index'
  if (problems.length > 0) {
    return { status: 'fail', detail: `The index of ${folder} is damaged: ${problems.join(' ')}` }
  }
  const { meta } = current
  if (meta?.embedder !== embedder) {
    const detail = `The index of ${folder} was made with ${meta?.embedder ?? 'words only'}, and the configuration has ${embedder ?? 'no embedding model'}: the next run makes it again.`
    return { status: 'warn', detail, fix }
  }
  const records = await current.store.files()
  const isHardToRead = ({ status, chunks }: FileRecord): boolean => status === 'low-quality' && chunks > 0
  const unreadable = records.filter(
    (record) => (record.status !== 'ok' || record.chunks === 0) && !isHardToRead(record),
  )
  const notes = [
    ...filesNote('cannot be read', unreadable, records.length),
    ...filesNote('are hard to read', records.filter(isHardToRead), records.length),
  ]
  if (notes.length > 0) return { status: 'warn', detail: notes.join(' '), fix: 'npx agentkit index status' }
  if (!current.isComplete) return { status: 'warn', detail: `The index of ${folder} is not complete.`, fix }
  return { status: 'ok', detail: `The index of ${folder} is sound: ${counted(records.length, 'file')}.` }
}

function filesNote(what: string, files: readonly FileRecord[], all: number): string[] {
  if (files.length === 0) return []
  const names = files.slice(0, 5).map(({ file, status, reason }) => `${file} (${status}${reason ? `: ${reason}` : ''})`)
  const more = files.length > names.length ? `, and ${files.length - names.length} more` : ''
  return [`${files.length} of ${counted(all, 'file')} ${what}: ${names.join(', ')}${more}.`]
}
