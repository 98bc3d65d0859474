import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, vi } from 'vitest'
import { keyVariables } from '../models/providers.ts'

/** An empty working directory for each test, an environment without keys, and a list of what was warned of. */
export function useFolder(): {
  path(name: string): string
  write(name: string, text: string): string
  readonly printed: string[]
} {
  let folder = ''
  let start = ''
  const printed: string[] = []
  const path = (name: string): string => join(folder, name)
  beforeEach(() => {
    start = process.cwd()
    folder = mkdtempSync(join(tmpdir(), 'agentkit-'))
    process.chdir(folder)
    printed.length = 0
    vi.spyOn(console, 'warn').mockImplementation((line: string) => void printed.push(line))
    for (const variable of ['OPENAI_BASE_URL', 'NODE_ENV', ...Object.values(keyVariables).flat()]) {
      vi.stubEnv(variable, undefined)
    }
  })
  afterEach(() => {
    vi.restoreAllMocks()
    vi.unstubAllEnvs()
    process.chdir(start)
    rmSync(folder, { recursive: true, force: true })
  })
  const write = (name: string, text: string): string => {
    mkdirSync(dirname(path(name)), { recursive: true })
    writeFileSync(path(name), text)
    return path(name)
  }
  return { path, write, printed }
}
