import { idle } from './idle.ts'
import { sanitize } from './sanitize.ts'
import { blocksOf, htmlOf } from './to-html.ts'

const samples = [
  'A **text**, `code`, [link](https://example.com)',
  '# Title\n\n- item',
  '| a |\n|---|\n| b |',
  '```ts\na',
]

/** An engine compiles a pattern when it is used a second time, and again for texts with letters beyond Latin-1. */
const others = samples.map((sample) => `${sample} …`)
const variants = [...samples, ...samples, ...others, ...others]

/** Renders every kind of block while nothing happens, so that the first words of the first answer do not wait for it. */
export async function warmUp(): Promise<void> {
  for (const variant of variants) {
    await idle()
    for (const block of blocksOf(variant, Object.create(null))) sanitize(htmlOf(block))
  }
}
