import {
  context,
  createNoopMeter,
  metrics,
  ROOT_CONTEXT,
  type TracerDelegator,
  type TracerProvider,
  trace,
} from '@opentelemetry/api'
import { asyncContexts } from './async-contexts.ts'

/** Whether the process has registered a provider of traces or of metrics. */
export function hasProvider(): boolean {
  // If no provider is registered, the API returns a proxy without a delegate.
  const provider: TracerProvider & Partial<TracerDelegator> = trace.getTracerProvider()
  const name = '@agentkit/telemetry'
  const hasTraces = !provider.getDelegateTracer || provider.getDelegateTracer(name) !== undefined
  return hasTraces || metrics.getMeterProvider().getMeter(name) !== createNoopMeter()
}

/** Registers a context manager where the process has none: without one no span has a parent. */
export function useContexts(): void {
  const probe = ROOT_CONTEXT.setValue(Symbol('agentkit.probe'), true)
  if (context.with(probe, () => context.active()) === probe) return
  context.setGlobalContextManager(asyncContexts())
}
