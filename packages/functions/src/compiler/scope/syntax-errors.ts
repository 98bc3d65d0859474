import type { ts } from 'ts-morph'

/** What the parser could not read. It goes on after an error, and what follows may be missing. */
export function syntaxErrors(file: ts.SourceFile): readonly ts.DiagnosticWithLocation[] {
  // Every parsed file has them; TypeScript's own types leave the field out.
  return (file as ts.SourceFile & { parseDiagnostics?: readonly ts.DiagnosticWithLocation[] }).parseDiagnostics ?? []
}
