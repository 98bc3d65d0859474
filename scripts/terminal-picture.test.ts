import { expect, it } from 'vitest'
import { terminalPicture } from './terminal-picture.ts'

it('draws each line of a screen, with its colours, and the output of models as text', () => {
  const svg = terminalPicture('$ run\n\u001b[1m\u001b[32mdone\u001b[0m <b> & \u001b[2mfaint', 'A run')
  expect(svg).toContain('>$ run</text>')
  expect(svg).toContain('<tspan fill="#116329" font-weight="bold">done</tspan>\u00a0&lt;b&gt; &amp; ')
  expect(svg).toContain('<tspan fill="#57606a">faint</tspan>')
  expect(svg).toContain('<title>A run</title>')
  expect(svg).not.toContain('\u001b')
})
