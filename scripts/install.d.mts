export function progressOf(output: string): string
export function ensureInstalled(): Promise<void>
