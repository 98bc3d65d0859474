import { AgentKitError } from '@agentkit/core'
import type { Filter } from './store/store.ts'

/**
 * A filter as stores take it, from one as people write it: `['MD', '.txt']`, `['./handbook/']`.
 *
 * @throws AgentKitError `invalid-argument` for what is no list of texts
 * @returns `'nothing'` for one that leaves nothing over: an empty list of files is no file
 */
export function wholeFilter({ paths, exts }: Filter): Filter | 'nothing' {
  for (const [name, list, example] of [['paths', paths, 'handbook/'] as const, ['exts', exts, '.md'] as const]) {
    if (list === undefined || (Array.isArray(list) && list.every((one) => typeof one === 'string'))) continue
    throw new AgentKitError('invalid-argument', `\`${name}\` is a list of texts, such as ["${example}"].`)
  }
  if (paths?.length === 0 || exts?.length === 0) return 'nothing'
  return {
    ...(paths && !paths.some(isRoot) && { paths: paths.map((path) => path.replace(/^(?:\.\/)+/, '')) }),
    ...(exts && { exts: [...new Set(exts.map(wholeExt))] }),
  }
}

/** The folder itself. */
function isRoot(path: string): boolean {
  return /^(?:\.\/?)+$/.test(path)
}

function wholeExt(ext: string): string {
  return `.${ext.trim().toLowerCase().replace(/^\./, '')}`
}

/** Whether a filter, as {@link wholeFilter} gives it, lets a file pass. */
export function passes({ paths, exts }: Filter, file: string): boolean {
  const isWithin = (path: string): boolean => (path.endsWith('/') ? file.startsWith(path) : file === path)
  const lower = file.toLowerCase()
  return (!paths || paths.some(isWithin)) && (!exts || exts.some((ext) => lower.endsWith(ext)))
}
