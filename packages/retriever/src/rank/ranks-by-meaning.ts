import { cosine } from '../util/unit-vector.ts'
import { yieldToOthers } from '../util/yield-to-others.ts'
import { rankOf } from './trial.ts'

type Vectors = readonly (Float32Array | undefined)[]

/** The rank of each question's answer, the one at the same place, among all answers. */
export async function ranksByMeaning(questions: Vectors, answers: Vectors): Promise<number[]> {
  const ranks: number[] = []
  for (const [index, question] of questions.entries()) {
    const scores = answers.map((answer) => likeness(question, answer))
    ranks.push(rankOf(index, scores))
    await yieldToOthers()
  }
  return ranks
}

/** What points nowhere is like nothing. */
function likeness(one: Float32Array | undefined, other: Float32Array | undefined): number {
  return one && other && one.length === other.length ? cosine(one, other) : 0
}
