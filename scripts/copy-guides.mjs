// Copies the pages for users, with their images, into `docs` of the package `agentkit`, the working directory:
// assistants and `agentkit` itself then read the pages of the installed version.
import { copyFileSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { userPages } from '../docs/.vitepress/pages.ts'

const docs = join(import.meta.dirname, '../docs')
rmSync('docs', { recursive: true, force: true })
for (const page of ['llms.txt', ...userPages(docs)]) {
  const text = readFileSync(join(docs, page), 'utf8')
  const images = [...text.matchAll(/\]\(([\w./-]+\.(?:png|svg))\)/g)].map(([, image]) => join(dirname(page), image))
  for (const file of [page, ...images]) {
    mkdirSync(dirname(join('docs', file)), { recursive: true })
    copyFileSync(join(docs, file), join('docs', file))
  }
}
