import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

// npm refuses an installation in which two packages need different versions of one peer, also of an optional one.
it('installs beside start files of vendors that need OpenTelemetry 2, such as @vercel/otel, and beside OpenTelemetry 3', () => {
  const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  const { '@opentelemetry/api': api, ...peers } = manifest.peerDependencies as Record<string, string>
  // The SDK of version 2 needs an API before 1.10.
  expect(api).toBe('^1.9.0')
  for (const [name, range] of Object.entries(peers)) {
    // The exporters of the SDK's version 2 have the versions from 0.200.
    expect(range, name).toMatch(name.includes('exporter') ? /^>=0\.200\.0$/ : /^\^2\.\d+\.0 \|\| \^3\.0\.0$/)
  }
})
