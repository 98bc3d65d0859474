/** Resolves when the page has nothing else to do, or after two seconds. */
export function idle(): Promise<unknown> {
  // Not every browser has `requestIdleCallback`.
  if (typeof requestIdleCallback === 'undefined') return new Promise((resolve) => setTimeout(resolve, 50))
  return new Promise((resolve) => requestIdleCallback(resolve, { timeout: 2_000 }))
}
