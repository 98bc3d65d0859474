import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, describe, expect, it } from 'vitest'
import { published } from './pack-packages.ts'
import { readSite, requireSite, siteFields, siteModule, withSite, writeSite } from './site.mjs'
import { root } from './workspace-files.ts'

const packages = published()
const folders = packages.map(({ folder }) => folder)
const example = { repository: 'https://github.com/example/agentkit', site: 'https://agentkit.example' }
const empty = { repository: '', site: '' }

describe('every package', () => {
  it.each(packages)('$folder has the same addresses as site.json', ({ folder, manifest }) => {
    const { homepage, repository, bugs } = manifest
    expect(JSON.parse(JSON.stringify({ homepage, repository, bugs }))).toEqual(siteFields(readSite(), folder))
    // The same text, so that `node scripts/site.mjs` changes nothing more.
    expect(Object.keys(withSite(manifest, readSite(), folder))).toEqual(Object.keys(manifest))
  })

  it.each(packages)('$folder has keywords, and is not published while site.json is empty', ({ manifest }) => {
    const { keywords, scripts } = manifest as { keywords?: string[]; scripts?: Record<string, string> }
    expect(new Set(keywords).size).toBe(keywords?.length)
    expect(keywords).toEqual(expect.arrayContaining(['agentkit', 'ai', 'agent', 'llm']))
    expect(keywords?.length).toBeGreaterThan(4)
    expect(scripts?.prepublishOnly).toBe('node ../../scripts/check-site.mjs')
  })
})

describe('site.json', () => {
  it('refuses to publish while it is empty, or is no https address', async () => {
    expect(() => requireSite(empty)).toThrow('`repository` of site.json is no https address')
    expect(() => requireSite({ ...example, site: '' })).toThrow('`site` of site.json')
    expect(() => requireSite({ ...example, site: 'http://agentkit.example' })).toThrow('`site` of site.json')
    expect(() => requireSite(example)).not.toThrow()
    const check = promisify(execFile)(process.execPath, ['../../scripts/check-site.mjs'], {
      cwd: join(root, 'packages/core'),
    })
    if (readSite().site === '') await expect(check).rejects.toMatchObject({ code: 1, stderr: /Nothing is published/ })
    else await check
  })

  it('leaves the fields out while it is empty', () => {
    expect(siteFields(empty, 'packages/core')).toEqual({})
    expect(siteModule(empty)).toBe(readFileSync(join(root, 'packages/core/src/data/site.ts'), 'utf8'))
  })

  describe('filled with an example', () => {
    const copy = mkdtempSync(join(tmpdir(), 'agentkit-site-'))
    afterAll(() => rmSync(copy, { recursive: true, force: true }))
    const text = (path: string): string => readFileSync(join(copy, path), 'utf8')

    it('gives each package its fields, each README its links, and errors their address', () => {
      const files = folders.flatMap((folder) => [`${folder}/package.json`, `${folder}/README.md`])
      for (const file of [...files, 'packages/core/src/data/site.ts']) {
        mkdirSync(dirname(join(copy, file)), { recursive: true })
        cpSync(join(root, file), join(copy, file))
      }
      writeSite(example, folders, copy)
      for (const folder of folders) {
        expect(JSON.parse(text(`${folder}/package.json`))).toMatchObject({
          homepage: 'https://agentkit.example',
          repository: { type: 'git', url: 'git+https://github.com/example/agentkit.git', directory: folder },
          bugs: { url: 'https://github.com/example/agentkit/issues' },
        })
        expect(text(`${folder}/README.md`)).toContain('https://agentkit.example/guides/')
      }
      expect(text('packages/core/src/data/site.ts')).toContain("= 'https://agentkit.example'")
    })
  })
})
