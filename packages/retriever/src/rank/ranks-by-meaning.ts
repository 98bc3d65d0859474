import { cosine } from '../util/unit-vector.ts'
import { yieldToOthers } from '../util/yield-to-others.ts'
import { rankOf } from './trial.ts'

type Vectors = readonly (Float32Array | undefined)[]

/** The rank of each question's answer, at the same index, among all answers. */
export async function ranksByMeaning(questions: Vectors, answers: Vectors): Promise<number[]> {
  const ranks: number[] = []
  for (const [index, question] of questions.entries()) {
    const scores = answers.map((answer) => likeness(question, answer))
    ranks.push(rankOf(index, scores))
    await yieldToOthers()
  }
  return ranks
}

/** A vector without direction is similar to nothing. */
function likeness(one: Float32Array | undefined, other: Float32Array | undefined): number {
  return one && other && one.length === other.length ? cosine(one, other) : 0
}
