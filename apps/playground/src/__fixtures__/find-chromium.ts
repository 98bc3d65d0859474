import { spawnSync } from 'node:child_process'

/** The path of an installed Chromium: the value of `CHROMIUM`, or the path of Debian's package `chromium`. */
export function findChromium(): string | undefined {
  const { CHROMIUM } = process.env
  const candidates = CHROMIUM === undefined ? ['chromium', 'chromium-browser'] : [CHROMIUM]
  const found = candidates.find((command) => spawnSync(command, ['--version']).status === 0)
  if (found === undefined || found.includes('/')) return found
  return spawnSync('which', [found], { encoding: 'utf8' }).stdout.trim()
}
