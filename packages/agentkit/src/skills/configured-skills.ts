import { dirname, resolve } from 'node:path'
import type { Tool } from '@agentkit/core'
import { type HostTools, isProduction } from '@agentkit/core/internal'
import type { SDKContext } from '../config/sdk-context.ts'
import { importSkills } from '../util/import-optional.ts'

/**
 * The tools of the skills that the configuration names, for the runs of one agent. The folders are read by its first run.
 * @param folders relative to the configuration
 */
export function configuredSkills(
  { config }: SDKContext,
  folders: readonly string[] | undefined,
  configured: boolean,
): HostTools | undefined {
  if (folders === undefined || folders.length === 0) return undefined
  let made: Promise<Tool[]> | undefined
  return async () => {
    made ??= make().catch((error) => {
      // The next run tries again.
      made = undefined
      throw error
    })
    return { tools: await made, warnings: [] }
  }

  async function make(): Promise<Tool[]> {
    const { skillTools } = await importSkills()
    const base = config.path === undefined ? '.' : dirname(config.path)
    const paths = (folders ?? []).map((folder) => resolve(base, folder))
    const pins = resolve(base, 'agentkit-skills.lock.json')
    return skillTools(paths, { pins }, configured || isProduction())
  }
}
