import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import MiniSearch from 'minisearch'
import type { OpenSearcher } from './searcher.ts'

const options = { fields: ['text'], storeFields: ['file', 'text'] }

/**
 * A simple handwritten index: files are read in turn, split at their headings, held in memory, saved as JSON.
 * A sync rebuilds everything.
 */
export const minisearch: OpenSearcher = (folder, index) => {
  let engine: MiniSearch | undefined
  const saved = join(index, 'index.json')
  return {
    async sync() {
      engine = new MiniSearch(options)
      for (const file of await readdir(folder, { recursive: true })) {
        if (!file.endsWith('.md')) continue
        const sections = (await readFile(join(folder, file), 'utf8')).split(/^(?=#+ )/m)
        engine.addAll(sections.map((text, place) => ({ id: `${file}#${place}`, file, text })))
      }
      await mkdir(index, { recursive: true })
      await writeFile(saved, JSON.stringify(engine))
    },
    async search(question) {
      if (!engine && existsSync(saved)) engine = MiniSearch.loadJSON(await readFile(saved, 'utf8'), options)
      return engine?.search(question).slice(0, 10).length ?? 0
    },
    async settled() {},
    async close() {},
  }
}
