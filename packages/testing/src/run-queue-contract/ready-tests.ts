import { expect, it } from 'vitest'
import { type GetQueue, job, take, takeNow, until } from './jobs.ts'

/** How workers learn of jobs. */
export function readyTests(getQueue: GetQueue): void {
  it('calls the listeners of each process when jobs were added, until they are stopped', async () => {
    const { queue, open } = getQueue()
    const other = await open()
    const calls = { own: 0, other: 0, stopped: 0 }
    const stops = [queue.onReady(['helper'], () => calls.own++), other.onReady(['helper'], () => calls.other++)]
    queue.onReady(['helper'], () => calls.stopped++)()
    await queue.add([job('r1')])
    await until(() => calls.own > 0 && calls.other > 0)
    expect(calls.stopped).toBe(0)
    for (const stop of stops) stop()
  })

  it('calls a listener when a job becomes due, and when one is left behind by its worker', async () => {
    const { queue, pass, now } = getQueue()
    await queue.add([job('later', { startAfter: now() + 2_000 })])
    let calls = 0
    const stop = queue.onReady(['helper'], () => calls++)
    await pass(2_100)
    await until(async () => calls > 0 && (await takeNow(queue)).length > 0)
    await pass(12_000)
    calls = 0
    await until(() => calls > 0)
    await take(queue, 1)
    stop()
  })

  it('calls no listener after it was closed', async () => {
    const { queue, open } = getQueue()
    const other = await open()
    let calls = 0
    other.onReady(['helper'], () => calls++)
    await other.close()
    let own = 0
    const stop = queue.onReady(['helper'], () => own++)
    await queue.add([job('r1')])
    await until(() => own > 0)
    stop()
    expect(calls).toBe(0)
  })
}
