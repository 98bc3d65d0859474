import { expect, it } from 'vitest'
import { noteTrace, traceIdOf } from './tracer.ts'

it('notes the trace of a result, and none where OpenTelemetry is disabled', () => {
  const [traced, untraced] = [{}, {}]
  noteTrace(traced, '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01')
  noteTrace(untraced, '00-00000000000000000000000000000000-0000000000000000-00')
  expect(traceIdOf(traced)).toBe('0af7651916cd43dd8448eb211c80319c')
  expect(traceIdOf(untraced)).toBeUndefined()
})
