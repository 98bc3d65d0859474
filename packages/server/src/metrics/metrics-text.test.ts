import { expect, it } from 'vitest'
import { metricsText } from './metrics-text.ts'

it('writes metrics as Prometheus reads them', () => {
  const text = metricsText([
    { name: 'a_total', type: 'counter', help: 'Of two\nlines.', values: [{ value: 1 }] },
    { name: 'b', type: 'gauge', help: 'By name.', values: [{ labels: { agent: 'x"y\\z\n', kind: 'k' }, value: 0.5 }] },
    { name: 'c', type: 'gauge', help: 'Without values.', values: [] },
  ])
  expect(text).toBe(
    [
      '# HELP a_total Of two\\nlines.',
      '# TYPE a_total counter',
      'a_total 1',
      '# HELP b By name.',
      '# TYPE b gauge',
      'b{agent="x\\"y\\\\z\\n",kind="k"} 0.5',
      '',
    ].join('\n'),
  )
})
