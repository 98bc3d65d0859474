import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { namedModel } from '../models/named-model.ts'
import { otherDotEnv } from './other-dot-env.ts'

let project: string
beforeEach(() => {
  project = realpathSync(mkdtempSync(join(tmpdir(), 'agentkit-dot-env-')))
  mkdirSync(join(project, 'src'))
  vi.stubEnv('ANTHROPIC_API_KEY', '')
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
  rmSync(project, { recursive: true, force: true })
})

it('names a .env of a folder around the working directory, in the error of a missing key', () => {
  writeFileSync(join(project, '.env'), 'ANTHROPIC_API_KEY=key\n')
  vi.spyOn(process, 'cwd').mockReturnValue(join(project, 'src'))
  expect(() => namedModel('claude-sonnet-5')).toThrow(
    `Set ANTHROPIC_API_KEY, for example in .env. ${join(project, '.env')} is not read: the working directory is ${join(project, 'src')}.`,
  )
})

it('names one beside the program', () => {
  writeFileSync(join(project, 'src/.env'), '')
  vi.spyOn(process, 'cwd').mockReturnValue(project)
  expect(otherDotEnv(join(project, 'src/app.ts'))).toBe(
    ` ${join(project, 'src/.env')} is not read: the working directory is ${project}.`,
  )
})

it('reports nothing where the working directory has one, or no other folder nearby does', () => {
  vi.spyOn(process, 'cwd').mockReturnValue(join(project, 'src'))
  expect(otherDotEnv(join(project, 'src/app.ts'))).toBe('')
  writeFileSync(join(project, '.env'), '')
  writeFileSync(join(project, 'src/.env'), '')
  expect(otherDotEnv(join(project, 'src/app.ts'))).toBe('')
})
