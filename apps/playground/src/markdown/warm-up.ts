import { idle } from './idle.ts'
import { sanitize } from './sanitize.ts'
import { blocksOf, htmlOf } from './to-html.ts'

const samples = [
  'A **text**, `code`, [link](https://example.com)',
  '# Title\n\n- item',
  '| a |\n|---|\n| b |',
  '```ts\na',
]

/**
 * Renders every kind of block while nothing happens, so that the first words of the first answer do not wait for it. Twice: an
 * engine compiles a pattern when it is used again.
 */
export async function warmUp(): Promise<void> {
  for (const sample of [...samples, ...samples]) {
    await idle()
    for (const block of blocksOf(sample, Object.create(null))) sanitize(htmlOf(block))
  }
}
