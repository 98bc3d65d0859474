import { site } from './site.ts'

/** The page of an error code: its address, and until the packages are published its path in an installed `agentkit`. */
export function helpOf(code: string, address: string = site): string {
  if (address === '') return `node_modules/agentkit/docs/errors/${code}.md`
  return `${address.replace(/\/$/, '')}/errors/${code}.html`
}
