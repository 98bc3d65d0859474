import { anonymousDefault, classesAndObjects } from './classes-and-objects.expected.ts'
import { datesAndRecords } from './dates-and-records.expected.ts'
import { defaults } from './defaults.expected.ts'
import { destructuredAndRest } from './destructured-and-rest.expected.ts'
import { docstrings } from './docstrings.expected.ts'
import type { Expected } from './expected.ts'
import { generics } from './generics.expected.ts'
import { importedTypes } from './imported-types.expected.ts'
import { javascript } from './javascript.expected.ts'
import { notTools, notToolsInJavaScript, type Refused } from './not-tools.expected.ts'
import { objects } from './objects.expected.ts'
import { primitives } from './primitives.expected.ts'
import { unions } from './unions.expected.ts'

/** By file: the functions that are tools. */
export const tools: Record<string, Expected[]> = {
  'primitives.ts': primitives,
  'unions.ts': unions,
  'objects.ts': objects,
  'generics.ts': generics,
  'dates-and-records.ts': datesAndRecords,
  'defaults.ts': defaults,
  'destructured-and-rest.ts': destructuredAndRest,
  'docstrings.ts': docstrings,
  'imported-types.ts': importedTypes,
  'classes-and-objects.ts': classesAndObjects,
  'anonymous-default.ts': anonymousDefault,
  'javascript.js': javascript,
}

/** By file: the functions that cannot be tools. */
export const refused: Record<string, Refused[]> = {
  'not-tools.ts': notTools,
  'not-tools.js': notToolsInJavaScript,
}
