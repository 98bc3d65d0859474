import { mkdirSync, mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { currentProjects } from './current-projects.ts'

let folder: string
const at = (path: string) => join(folder, path)
const write = (path: string, text: string) => writeFileSync(at(path), text)

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'agentkit-projects-'))
  mkdirSync(at('node_modules/rates'), { recursive: true })
  mkdirSync(at('other'))
  write('tsconfig.json', '{ "compilerOptions": { "strict": true } }')
  write('other/tsconfig.json', '{ "compilerOptions": { "strict": true } }')
  write('node_modules/rates/package.json', '{ "name": "rates", "types": "index.d.ts" }')
  write('node_modules/rates/index.d.ts', 'export type Rate = number')
  write('money.ts', 'export type Money = number')
  // As build tools do that write the same files each time.
  utimesSync(at('money.ts'), 1, 1)
})

afterEach(() => {
  vi.restoreAllMocks()
  rmSync(folder, { recursive: true, force: true })
})

const tools = `
  import type { Money } from './money.ts'
  import type { Rate } from 'rates'
  export function pay(money: Money, rate: Rate) {}
`
const unfinished = `
  import type { Later } from './later.ts'
  export function postpone(until: Later) {}
`

describe('currentProjects', () => {
  it('watches the files of the project that a file depends on, not the file and no installed ones', () => {
    const { dependencies } = currentProjects().open(at('tools.ts'), tools)
    expect(dependencies()).toEqual(expect.arrayContaining([at('money.ts'), at('tsconfig.json')]))
    expect(dependencies()).not.toContain(at('tools.ts'))
    expect(dependencies().filter((path) => path.includes('node_modules'))).toEqual([])
  })

  it('keeps a project while only the text of the file itself is another', async () => {
    // Files of that moment would seem to change while the project is opened.
    await wait(100)
    const projects = currentProjects()
    const first = projects.open(at('tools.ts'), tools)
    first.dependencies()
    const second = projects.open(at('tools.ts'), `${tools}// changed`)
    expect(second.project).toBe(first.project)
    expect(second.file.text).toContain('// changed')
  })

  it.each([
    { change: 'is written', make: () => write('money.ts', 'export type Money = string') },
    { change: 'appears', make: () => write('later.ts', 'export type Later = string'), text: unfinished },
    { change: 'is removed', make: () => rmSync(at('money.ts')) },
    {
      change: 'is replaced by one of the same time',
      make() {
        write('old.ts', 'export type Money = string')
        utimesSync(at('old.ts'), 1, 1)
        renameSync(at('old.ts'), at('money.ts'))
      },
    },
    { change: 'is the tsconfig.json', make: () => write('tsconfig.json', '{}') },
  ])('opens a project again when a file $change', async ({ make, text = tools }) => {
    await wait(100)
    const projects = currentProjects()
    const { project, dependencies } = projects.open(at('tools.ts'), text)
    dependencies()
    make()
    expect(projects.open(at('tools.ts'), text).project).not.toBe(project)
  })

  it('opens a project again when a file was written after it was read, and before it was watched', () => {
    const projects = currentProjects()
    // The times of files are behind the clock, on a busy machine by more than opening takes.
    vi.spyOn(Date, 'now').mockReturnValueOnce(Date.now() + 40)
    const { project, dependencies } = projects.open(at('tools.ts'), tools)
    write('money.ts', 'export type Money = string')
    dependencies()
    expect(projects.open(at('tools.ts'), tools).project).not.toBe(project)
  })

  it('opens a project for each tsconfig.json', () => {
    const projects = currentProjects()
    const { project } = projects.open(at('one.ts'), '')
    expect(projects.open(at('two.ts'), '').project).toBe(project)
    expect(projects.open(at('other/one.ts'), '').project).not.toBe(project)
  })
})
