import { agentkitTools } from '@agentkit/functions/unplugin'
import { defineConfig } from 'vitest/config'

const conditions = ['@agentkit/source']

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  plugins: [agentkitTools.vite({ include: 'tools.ts' })],
  test: { include: ['checks.ts'] },
})
