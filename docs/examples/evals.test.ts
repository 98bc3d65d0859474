import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it, vi } from 'vitest'

it('compares two variants of an agent by the offline model', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'agentkit-evals-example-'))
  try {
    const words = ['--conditions=@agentkit/source', join(import.meta.dirname, 'evals.ts')]
    const { stdout } = await promisify(execFile)(process.execPath, words, { cwd: folder })
    expect(stdout.trim().split('\n')).toEqual([
      'without, contains: 0 (0.00 to 0.24), 12 cases',
      'without, toolTrajectory: 0 (0.00 to 0.24), 12 cases',
      'withTool, contains: 1 (0.76 to 1.00), 12 cases',
      'withTool, toolTrajectory: 1 (0.76 to 1.00), 12 cases',
      'withTool against without, contains: better',
      'withTool against without, toolTrajectory: better',
    ])
    const report = await readFile(join(folder, 'agentkit-data/evals/museums/report.json'), 'utf8')
    expect(JSON.parse(report).results).toHaveLength(24)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}, 60_000)

it('exports the options of an eval for the command, without a key', async () => {
  for (const name of ['LLMPROVIDER_API_KEY', 'OPENAI_API_KEY']) vi.stubEnv(name, undefined)
  const { default: evaluation } = await import('./support-eval.ts')
  expect(evaluation.scorers.map(({ name }) => name)).toEqual(['judge', 'brief', 'withinBudget'])
  vi.unstubAllEnvs()
})
