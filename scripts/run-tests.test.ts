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
    expect(await lastLine(['--root', folder])).toEqual({ line, code: 1 })
  })

  it('succeeds when everything passed', async () => {
    const folder = await testFolder(`it('passes', () => {})`)
    expect(await lastLine(['--root', folder])).toEqual({ line: '1 passed, 0 failed, 0 skipped', code: 0 })
  })

  it('fails when no test file was found', async () => {
    const folder = await testFolder(`it('passes', () => {})`)
    expect(await lastLine(['--root', folder, 'no-such-file'])).toEqual({
      line: '0 passed, 0 failed, 0 skipped',
      code: 1,
    })
  })

  it('fails when vitest itself fails', async () => {
    expect(await lastLine(['--no-such-option'])).toEqual({ line: '0 passed, 1 failed, 0 skipped', code: 1 })
  })
})

async function testFolder(file: string): Promise<string> {
  const folder = await mkdtemp(join(place, 'tests-'))
  await writeFile(join(folder, 'one.test.ts'), `import { beforeAll, it } from 'vitest'\n${file}\n`)
  return folder
}

function lastLine(args: string[]): Promise<{ line: string | undefined; code: number }> {
  const program = `import(${JSON.stringify(join(root, 'scripts', 'run-tests.mjs'))})
    .then(({ runTests }) => runTests(process.argv.slice(1)))
    .then((code) => process.exit(code))`
  return new Promise((resolve) => {
    execFile(process.execPath, ['-e', program, '--', ...args], (error, stdout) => {
      resolve({ line: stdout.trimEnd().split('\n').at(-1), code: error ? Number(error.code) : 0 })
    })
  })
}
