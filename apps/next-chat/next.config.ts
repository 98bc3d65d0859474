import type { NextConfig } from 'next'

const config: NextConfig = {
  // Node loads them itself: they import providers and SQLite when an agent needs them.
  serverExternalPackages: ['agentkit', '@agentkit/server'],
}

export default config
