import type { ts } from 'ts-morph'

/** The parser's errors. It continues after an error, but later nodes may be missing. */
export function syntaxErrors(file: ts.SourceFile): readonly ts.DiagnosticWithLocation[] {
  // Every parsed file has them; TypeScript's own types leave the field out.
  return (file as ts.SourceFile & { parseDiagnostics?: readonly ts.DiagnosticWithLocation[] }).parseDiagnostics ?? []
}
