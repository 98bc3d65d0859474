import { execFile } from 'node:child_process'
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { root } from './workspace-files.ts'

let place: string

beforeAll(async () => {
  place = await mkdtemp(join(tmpdir(), 'agentkit-run-tests-'))
  await symlink(join(root, 'node_modules'), join(place, 'node_modules'), 'junction')
})

afterAll(() => rm(place, { recursive: true, force: true }))

describe('npm test', () => {
  it.each([
    {
      what: 'a test of each kind',
      file: `it('passes', () => {}); it('fails', () => { throw new Error('no') }); it.skip('is skipped', () => {}); it.todo('waits')`,
      line: '1 passed, 1 failed, 2 skipped',
    },
    { what: 'a file that does not load', file: `import './absent.ts'`, line: '0 passed, 1 failed, 0 skipped' },
    {
      what: 'a file whose set-up throws',
      file: `beforeAll(() => { throw new Error('no') }); it('is not run', () => {})`,
      line: '0 passed, 1 failed, 1 skipped',
    },
    {
      what: 'an error outside of any test',
      file: `it('passes', async () => { Promise.reject(new Error('lost')); await new Promise((done) => setTimeout(done, 20)) })`,
      line: '1 passed, 1 failed, 0 skipped',
    },
    {
      what: 'a process that dies',
      file: `it('dies', () => process.kill(process.pid, 'SIGKILL'))`,
      line: '0 passed, 2 failed, 0 skipped',
    },
    {
      what: 'nothing but skipped tests',
      file: `it.skip('is skipped', () => {})`,
      line: '0 passed, 0 failed, 1 skipped',
    },
  ])('counts $what, fails, and says so in its last line', async ({ file, line }) => {
    const folder = await testFolder(file)
    expect(await lastLine(['--root', folder])).toMatchObject({ line, code: 1 })
  })

  it('succeeds when everything passed', async () => {
    const folder = await testFolder(`it('passes', () => {})`)
    expect(await lastLine(['--root', folder])).toMatchObject({ line: '1 passed, 0 failed, 0 skipped', code: 0 })
  })

  it('fails when no test file was found', async () => {
    const folder = await testFolder(`it('passes', () => {})`)
    expect(await lastLine(['--root', folder, 'no-such-file'])).toMatchObject({
      line: '0 passed, 0 failed, 0 skipped',
      code: 1,
    })
  })

  describe('in a run of many files', () => {
    const once = `import { existsSync, writeFileSync } from 'node:fs'
      const mark = new URL('./tried', import.meta.url)
      const before = existsSync(mark)
      it('is unsteady', () => { writeFileSync(mark, ''); if (!before) throw new Error('no') })`
    const fails = `it('fails', () => { throw new Error('no') })`

    it('runs a file that failed once more, counts its second outcome, and names the test', async () => {
      const folder = await testFolder(once, 10)
      const { line, code, text } = await lastLine([`--root=${folder}`])
      expect({ line, code }).toEqual({ line: '10 passed, 0 failed, 0 skipped', code: 0 })
      expect(text).toContain('run once more, alone:\n  one.test.ts: is unsteady\n')
    })

    it('fails when a file fails twice', async () => {
      const folder = await testFolder(fails, 10)
      const { line, code, text } = await lastLine([`--root=${folder}`])
      expect({ line, code }).toEqual({ line: '9 passed, 1 failed, 0 skipped', code: 1 })
      expect(text).toContain('\nFailed:\n  one.test.ts: fails\n')
    })

    it.each([
      ['few files ran', 9, (folder: string) => [`--root=${folder}`]],
      ['files were asked for', 10, (folder: string) => [`--root=${folder}`, 'test']],
    ])('runs nothing again where %s', async (_when, files, args) => {
      const folder = await testFolder(once, files)
      expect(await lastLine(args(folder))).toMatchObject({ line: `${files - 1} passed, 1 failed, 0 skipped`, code: 1 })
    })

    it('runs nothing again where many files failed', async () => {
      const folder = await testFolder(once, 10)
      for (const name of ['two', 'three', 'four'])
        await writeFile(join(folder, `${name}.test.ts`), `import { it } from 'vitest'\n${fails}`)
      expect(await lastLine([`--root=${folder}`])).toMatchObject({ line: '9 passed, 4 failed, 0 skipped', code: 1 })
    })
  })

  it('fails when vitest itself fails', async () => {
    expect(await lastLine(['--no-such-option'])).toMatchObject({ line: '0 passed, 1 failed, 0 skipped', code: 1 })
  })
})

/** A folder with this test file, and others that pass where more files are asked for. */
async function testFolder(file: string, files = 1): Promise<string> {
  const folder = await mkdtemp(join(place, 'tests-'))
  await writeFile(join(folder, 'one.test.ts'), `import { beforeAll, it } from 'vitest'\n${file}\n`)
  for (let number = 1; number < files; number += 1) {
    await writeFile(join(folder, `passes-${number}.test.ts`), `import { it } from 'vitest'\nit('passes', () => {})\n`)
  }
  return folder
}

function lastLine(args: string[]): Promise<{ line: string | undefined; code: number; text: string }> {
  const program = `import(${JSON.stringify(join(root, 'scripts', 'run-tests.mjs'))})
    .then(({ runTests }) => runTests(process.argv.slice(1)))
    .then((code) => process.exit(code))`
  return new Promise((resolve) => {
    execFile(process.execPath, ['-e', program, '--', ...args], (error, stdout) => {
      resolve({ line: stdout.trimEnd().split('\n').at(-1), code: error ? Number(error.code) : 0, text: stdout })
    })
  })
}
