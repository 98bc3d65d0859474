import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { describeData } from './describe-data.ts'
import { findTrend } from './find-trend.ts'

it('shows a swarm at work, event by event, also without a key', async () => {
  const register = import.meta.resolve('agentkit/register')
  const words = ['--conditions=@agentkit/source', `--import=${register}`, join(import.meta.dirname, 'app.ts')]
  const env = { ...process.env, LLMPROVIDER_API_KEY: '', OPENAI_API_KEY: '' }
  const { stdout } = await promisify(execFile)(process.execPath, [...words, 'Analyze the data [2, 4, 9].'], { env })
  expect(stdout).toContain('running on offline/extractive')
  expect(stdout).toContain('\n  research calls describeData({"data":[2,4,9]})\n')
  expect(stdout).toContain('\n  analyst is done\n')
  expect(stdout).toMatch(/Research Team: .*the sum is 15[\s\S]*rising[\s\S]*\nstop, \d+ tokens in all\.\n$/)
})

describe('what its members can do', () => {
  it('describes data', () => {
    expect(describeData([3, 1, 2, 10])).toEqual({ count: 4, sum: 16, mean: 4, median: 2.5, smallest: 1, largest: 10 })
    expect(() => describeData([])).toThrow('There are no numbers.')
  })

  it('finds a trend', () => {
    expect(findTrend([1, 2, 3])).toEqual({ changePerStep: 1, direction: 'rising' })
    expect(findTrend([5, 5])).toEqual({ changePerStep: 0, direction: 'level' })
    expect(() => findTrend([1])).toThrow('two numbers')
  })
})
