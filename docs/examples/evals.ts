import { contains, evaluate, toolTrajectory } from '@agentkit/evals'
import { Agent, tool } from 'agentkit'

const hours = tool({
  name: 'opening_hours',
  description: 'The opening hours of a museum.',
  input: { type: 'object', properties: { museum: { type: 'string' } }, required: ['museum'] },
  execute: ({ museum }) => `${museum} opens at 10:00`,
})

// The same agent with its tool and without: does the tool help?
const options = { functions: [], model: process.env.MODEL ?? 'offline/extractive' }
const without = new Agent({ ...options, name: 'Guide' })
const withTool = new Agent({ ...options, name: 'Guide', functions: [hours] })

const museums = ['Louvre', 'Prado', 'Uffizi', 'Rijksmuseum', 'Hermitage', 'Belvedere', 'Albertina', 'Bargello']
const report = await evaluate({
  name: 'museums',
  variants: { without, withTool },
  cases: [...museums, 'Accademia', 'Brera', 'Thyssen', 'Tate'].map((museum) => ({
    id: museum,
    input: `When does the museum "${museum}" open?`,
    expected: { text: '10:00', tools: ['opening_hours'] },
  })),
  scorers: [contains({ field: 'text' }), toolTrajectory({ field: 'tools', order: 'exact' })],
})

for (const [variant, { scores }] of Object.entries(report.variants)) {
  for (const [scorer, { mean, low, high, n }] of Object.entries(scores)) {
    console.log(`${variant}, ${scorer}: ${mean} (${low.toFixed(2)} to ${high.toFixed(2)}), ${n} cases`)
  }
}
for (const { a, b, scorer, verdict } of report.comparisons) console.log(`${b} against ${a}, ${scorer}: ${verdict}`)
