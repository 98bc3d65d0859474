// Builds the documentation site into docs/.vitepress/dist, and checks it: `npm run docs`. DOCS_BASE is the path that it is
// served at ("/" by default); `-- --check` only checks what was built, and `-- --axe` reads every page by axe in Chromium too.
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { findChromium } from '../apps/playground/src/__fixtures__/find-chromium.ts'
import { userPages } from '../docs/.vitepress/pages.ts'
import { apiReference } from './api-reference.ts'
import { axeViolations } from './site-axe.ts'
import { brokenPages } from './site-links.ts'
import { root } from './workspace-files.ts'

const docs = join(root, 'docs')
const site = join(docs, '.vitepress/dist')
const base = process.env.DOCS_BASE ?? '/'
const policyTag = '<meta http-equiv="Content-Security-Policy"'
/** The limit for the scripts of a guide's page, in gzipped bytes. */
const mostScript = 100 * 1024

if (!/^\/([\w.-]+\/)*$/.test(base)) fail([`DOCS_BASE is "${base}": it begins and ends with "/", such as "/agentkit/".`])
if (!process.argv.includes('--check')) build()

const files = readdirSync(site, { recursive: true, encoding: 'utf8' }).map((file) => file.replaceAll('\\', '/'))
const pages = new Map(files.filter((file) => file.endsWith('.html')).map((file) => [file, read(file)]))
const guide = 'guides/tools.html'
const script = bytesOfScript(guide)
const wrong = brokenPages({ pages, files: new Set(files), base })
wrong.push(
  ...[...pages].filter(([, html]) => !html.includes(policyTag)).map(([page]) => `${page} has no policy for its hosts`),
)
if (script > mostScript) wrong.push(`${guide} loads ${script} bytes of script, more than ${mostScript}`)
if (wrong.length > 0) fail(wrong)
if (process.argv.includes('--axe')) {
  const chromium = findChromium()
  if (chromium === undefined) fail(['axe needs Chromium: install it, or name it in CHROMIUM.'])
  const violations = await axeViolations(site, [...pages.keys()], base, chromium)
  if (violations.length > 0) fail(violations)
  console.log(`axe finds no violation in ${pages.size} pages, light and dark.`)
}
console.log(
  `${pages.size} pages in docs/.vitepress/dist for ${base}; a guide loads ${script} bytes of script, gzipped.`,
)

function build(): void {
  mkdirSync(join(docs, 'api'), { recursive: true })
  for (const { path, text } of apiReference()) writeFileSync(join(docs, path), text)

  const vitepress = join(docs, 'node_modules/vitepress/bin/vitepress.js')
  const { status } = spawnSync(process.execPath, [vitepress, 'build', docs], { stdio: 'inherit' })
  if (status !== 0) process.exit(1)

  // The links of llms.txt lead to the Markdown.
  for (const page of ['llms.txt', ...userPages(docs)]) {
    mkdirSync(dirname(join(site, page)), { recursive: true })
    copyFileSync(join(docs, page), join(site, page))
  }
}

/** The modules that a page loads immediately: its entry, and its preloads. */
function bytesOfScript(page: string): number {
  const links = [...read(page).matchAll(/<(?:script[^>]+src|link rel="modulepreload" href)="([^"]+\.js)"/g)]
  const loaded = links.map(([, href = '']) => readFileSync(join(site, href.slice(base.length))))
  return loaded.reduce((sum, bytes) => sum + gzipSync(bytes).length, 0)
}

function read(file: string): string {
  return readFileSync(join(site, file), 'utf8')
}

function fail(lines: string[]): never {
  console.error(lines.join('\n'))
  process.exit(1)
}
