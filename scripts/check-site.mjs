// Run by npm and pnpm before they publish a package.
import { requireSite } from './site.mjs'

try {
  requireSite()
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
}
