/** One step of a reference within a JSON Schema, such as `Partial%3CPoint%3E`, as the key that it stands for. */
export function referenceStep(step: string): string {
  return decoded(step).replaceAll('~1', '/').replaceAll('~0', '~')
}

/** A name such as `100%` was not encoded. */
function decoded(step: string): string {
  try {
    return decodeURIComponent(step)
  } catch {
    return step
  }
}
