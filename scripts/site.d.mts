/** The content of site.json. */
export type Site = { repository: string; site: string }

export function readSite(): Site
/** @throws Error while `site.json` is empty: published packages must not point nowhere */
export function requireSite(site?: Site): void
export function siteFields(site: Site, folder: string): Record<string, unknown>
export function withSite(manifest: object, site: Site, folder: string): Record<string, unknown>
export function withLinks(readme: string, site: Site): string
export function siteModule(site: Site): string
export function writeSite(site: Site, folders: readonly string[], base?: string): void
