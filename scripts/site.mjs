import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './toolchain.mjs'

/**
 * The addresses that the packages name, from `site.json`: `repository` is the address of the repository, `site` the
 * address of the documentation. Both are empty until the packages are published.
 *
 *   node scripts/site.mjs    writes it into the packages, once `site.json` is filled
 */

/** @returns {{ repository: string, site: string }} */
export function readSite() {
  return JSON.parse(readFileSync(join(root, 'site.json'), 'utf8'))
}

/** @throws Error while `site.json` is empty: published packages must not point nowhere */
export function requireSite({ repository, site } = readSite()) {
  const missing = Object.entries({ repository, site }).find(([, address]) => !address.startsWith('https://'))
  if (missing)
    throw new Error(
      `Nothing is published while \`${missing[0]}\` of site.json is no https address. Fill it, and run: node scripts/site.mjs`,
    )
}

/**
 * The fields of a package's manifest; none while they are not known.
 * @param {string} folder `packages/core`
 */
export function siteFields({ repository, site }, folder) {
  const address = repository.replace(/\/$/, '')
  return {
    ...(site !== '' && { homepage: site }),
    ...(address !== '' && {
      repository: { type: 'git', url: `git+${address}.git`, directory: folder },
      bugs: { url: `${address}/issues` },
    }),
  }
}

/** The manifest with these fields, and without older ones. */
export function withSite({ homepage: _, repository: __, bugs: ___, ...manifest }, site, folder) {
  const { name, version, description, keywords, ...rest } = manifest
  const first = Object.entries({ name, version, description, keywords }).filter(([, value]) => value !== undefined)
  return { ...Object.fromEntries(first), ...siteFields(site, folder), ...rest }
}

/** A README with a link to the documentation where it has a sentence about it. */
function withLinks(readme, { site }) {
  if (site === '') return readme
  return readme.replace(
    /Part of agentkit: its README(?:\s+and guides are|\s+is)\s+at\s+the\s+root\s+of\s+the\s+repository\./,
    `Part of [agentkit](${site}), whose guides are at ${site.replace(/\/$/, '')}/guides/.`,
  )
}

/** The address as a module of core, which errors use. */
export function siteModule({ site }) {
  return `/** The address of the documentation: \`site\` of site.json, and empty until the packages are published. Generated. */
export const site: string = '${site}'
`
}

/** Writes it into the packages. @param {readonly string[]} folders */
export function writeSite(site, folders, base = root) {
  for (const folder of folders) {
    const change = (name, edit) =>
      writeFileSync(join(base, folder, name), edit(readFileSync(join(base, folder, name), 'utf8')))
    change('package.json', (text) => `${JSON.stringify(withSite(JSON.parse(text), site, folder), null, 2)}\n`)
    change('README.md', (text) => withLinks(text, site))
  }
  writeFileSync(join(base, 'packages/core/src/data/site.ts'), siteModule(site))
}

if (import.meta.main ?? process.argv[1] === import.meta.filename) {
  const { readdirSync } = await import('node:fs')
  requireSite()
  writeSite(
    readSite(),
    readdirSync(join(root, 'packages')).map((name) => `packages/${name}`),
  )
}
