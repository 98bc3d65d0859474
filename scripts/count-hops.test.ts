import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

it('agent.chat() reaches the transport in at most 17 functions, and one step takes at most 8 files of 1,200 lines', () => {
  const script = fileURLToPath(new URL('./count-hops.ts', import.meta.url))
  const output = execFileSync(process.execPath, ['--conditions=@agentkit/source', script], { encoding: 'utf8' })
  const [, functions] = /in (\d+) functions/.exec(output) ?? []
  const [, files, lines] = /takes (\d+) files of (\d+) lines/.exec(output) ?? []
  expect(Number(functions), output).toBeLessThanOrEqual(17)
  expect(Number(files), output).toBeLessThanOrEqual(8)
  expect(Number(lines), output).toBeLessThanOrEqual(1200)
}, 60_000)
