import { terminalLine } from '@agentkit/core'

/** Prints a line of the command's result. */
export function print(line: string): void {
  process.stdout.write(`${terminalLine(line)}\n`)
}

/** Prints a line beside the result, such as a warning. */
export function printError(line: string): void {
  process.stderr.write(`${terminalLine(line)}\n`)
}

/** Prints rows in columns of equal width. */
export async function printTable(table: readonly (readonly string[])[]): Promise<void> {
  // Loaded here, as most of what prints needs no columns.
  const { textWidth } = await import('./text-width.ts')
  // The escape of a control character is wider than the character.
  const rows = table.map((row) => row.map(terminalLine))
  const widths: number[] = []
  for (const row of rows)
    for (const [index, cell] of row.entries()) widths[index] = Math.max(widths[index] ?? 0, textWidth(cell))
  for (const row of rows)
    print(
      row
        .map((cell, index) => cell + ' '.repeat(Math.max(0, (widths[index] ?? 0) - textWidth(cell))))
        .join('  ')
        .trimEnd(),
    )
}
