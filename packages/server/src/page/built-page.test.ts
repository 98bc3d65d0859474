import { gunzipSync } from 'node:zlib'
import { expect, it } from 'vitest'

// Built by `scripts/build-page.mjs` before the tests.
const { files } = await import('#page')
const texts = Object.values(files).map(({ gzip }) => gunzipSync(Buffer.from(gzip, 'base64')).toString())

it('is at most 90 KB, compressed, with all that it may load', () => {
  const bytes = Object.values(files).reduce((sum, { gzip }) => sum + Buffer.from(gzip, 'base64').length, 0)
  expect(bytes).toBeLessThanOrEqual(90_000)
})

it('has names with a hash of the content, and no inline script or style', () => {
  const names = Object.keys(files).filter((name) => name !== 'index.html')
  for (const name of names) expect(name).toMatch(/^[\w]+-[\w-]{8}\.(?:js|css)$/)
  const html = gunzipSync(Buffer.from(files['index.html']?.gzip ?? '', 'base64')).toString()
  expect(html).not.toMatch(/<script(?![^>]* src=)[^>]*>|<style|\son\w+=|style=/)
  for (const [, address] of html.matchAll(/(?:src|href)="([^"]*)"/g))
    expect(address).toMatch(/^(?:\.\/assets\/|data:,)/)
})

it('imports nothing of Node, and names no address that it would load', () => {
  for (const text of texts) {
    expect(text).not.toMatch(/["']node:|__vite-browser-external/)
    expect(text).not.toMatch(/(?:src|href|url|import)\s*[=(:]\s*["'`]?https?:\/\//)
  }
})
