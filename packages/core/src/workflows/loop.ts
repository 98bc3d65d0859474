import { callUsers } from './function-step.ts'
import { beginStep, type Step } from './step.ts'
import type { LoopOptions } from './work.ts'

/** A step again and again, each time with what it made before. */
export function loop(body: Step, options: LoopOptions<unknown>, label: string): Step {
  const { maxIterations, while: goesOn, until: isDone } = options
  return {
    agents: body.agents,
    async run(given, flow) {
      let value = given
      const says = (condition: LoopOptions<unknown>['while'], iteration: number): Promise<boolean | undefined> =>
        callUsers(label, flow, () => condition?.(value, iteration))
      for (let iteration = 0; ; iteration++) {
        await beginStep(flow)
        if (goesOn && !(await says(goesOn, iteration))) return value
        if (iteration === maxIterations) break
        value = await body.run(value, flow)
        if (isDone && (await says(isDone, iteration + 1))) return value
      }
      if (goesOn || isDone) flow.run.progress.warnings.push(reached(label, maxIterations))
      return value
    },
  }
}

function reached(label: string, iterations: number): string {
  return `The step "${label}" was ended by its \`maxIterations\`: ${iterations}. Raise it if the loop needs more.`
}
