import { isAbsolute, resolve } from 'node:path'
import { AgentKitError } from '@agentkit/core'
import { createUnplugin, type UnpluginInstance } from 'unplugin'
import { attachedSource } from './unplugin/attached-source.ts'
import { currentProjects } from './unplugin/current-projects.ts'

/** Which files the plugin compiles. */
export type AgentkitToolsOptions = {
  /** The files whose functions are tools: glob patterns, relative to the working directory. */
  include: string | string[]
  /** Files to skip: glob patterns too. */
  exclude?: string | string[]
  /** Whether a warning, such as one of a parameter that no comment describes, fails the build. */
  strict?: boolean
}

/**
 * Turns plain functions into tools in a build: the functions of the included files have their schemas in the bundle,
 * which then needs no compiler. An exported function that cannot be a tool fails the build, unless its comment says
 * `@internal`; an unexported one fails when it is used as a tool, as all do in Vitest.
 *
 * `agentkitTools.vite` is for Vite and Vitest; there are `rollup`, `rolldown`, `esbuild`, `webpack`, `rspack`, `rsbuild`
 * and `farm` too. The build needs the packages `unplugin` and `ts-morph`.
 *
 * @throws AgentKitError `invalid-argument` without `include`
 * @example
 * // vite.config.ts
 * export default { plugins: [agentkitTools.vite({ include: 'src/tools/*.ts' })] }
 */
export const agentkitTools: UnpluginInstance<AgentkitToolsOptions, false> = createUnplugin((options) => {
  const { include, exclude, strict } = checkOptions(options)
  const projects = currentProjects()
  let isTest = false
  return {
    name: 'agentkit-tools',
    // Before other plugins, which remove types and comments.
    enforce: 'pre',
    vite: {
      configResolved({ command, mode }) {
        isTest = command === 'serve' && mode === 'test'
      },
    },
    // The build's own loader for the file's extension.
    esbuild: { loader: 'default' },
    transform: {
      filter: { id: { include, exclude } },
      handler(text, path) {
        // Virtual modules of other plugins are not files.
        if (!isAbsolute(path)) return null
        const { file, project, dependencies } = projects.open(path, text)
        const { code, problems, warnings } = attachedSource(file, project)
        for (const dependency of dependencies()) this.addWatchFile(dependency)
        // Tests import whole modules: what cannot be a tool fails there when it is used as one, as with `register`.
        const errors = strict ? [...problems, ...warnings] : isTest ? [] : problems
        if (errors.length > 0) return this.error(errors.join('\n'))
        if (!isTest) for (const warning of warnings) this.warn(warning)
        // No source map: lines do not change.
        return { code, map: null }
      },
    },
  }
})

/** Styles and data are not source files, and `tool.ts?raw` is a text. */
const noSourceFile = /(?<!\.[cm]?[jt]sx?)$/
const installed = /[\\/]node_modules[\\/]/

type Filters = { include: string[]; exclude: (string | RegExp)[]; strict: boolean }

function checkOptions({ include, exclude = [], strict = false }: Partial<AgentkitToolsOptions> = {}): Filters {
  const patterns = [include ?? []].flat()
  if (patterns.length === 0) {
    const message =
      "agentkitTools needs to know which files have tools. Give it include: 'src/tools/**/*.ts', for example."
    throw new AgentKitError('invalid-argument', message)
  }
  return {
    include: patterns.map(fromHere),
    exclude: [...[exclude].flat().map(fromHere), noSourceFile, installed],
    strict,
  }
}

/** Not every bundler resolves `..` in patterns. */
function fromHere(pattern: string): string {
  return pattern.startsWith('..') ? resolve(pattern) : pattern
}
