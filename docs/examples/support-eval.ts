import { type EvaluateOptions, judge, type Scorer, withinBudget } from '@agentkit/evals'
import { openai } from '@agentkit/providers-openai'
import { Agent } from 'agentkit'

// The key is asked for when a model is called: a replay needs none.
const model = openai({ apiKey: () => process.env.OPENAI_API_KEY ?? 'none' }).model('gpt-5.4-mini')
const instruction = 'You answer customers of a bicycle shop.'

/** Any function of a run is a scorer: true, false, or a number from 0 to 1. */
const brief: Scorer = {
  name: 'brief',
  score: ({ result }) => result.text.length <= 600,
}

const evaluation: EvaluateOptions = {
  name: 'support',
  variants: {
    now: new Agent({ name: 'Support', functions: [], model, instruction }),
    polite: new Agent({ name: 'Support', functions: [], model, instruction: `${instruction} Greet them by name.` }),
  },
  cases: 'evals/support.jsonl',
  scorers: [judge({ model, rubric: 'Solves the problem, and promises nothing.' }), brief, withinBudget({ usd: 0.01 })],
  threshold: 0.75,
  repeats: 3,
  cassette: { file: 'evals/support.cassette', mode: 'replay' },
}

export default evaluation
