import { expect, it } from 'vitest'
import { type BreakerStatus, createMetrics } from './metrics.ts'
import { WorkerMetrics } from './worker-metrics.ts'

type Metrics = ReturnType<typeof createMetrics>

const reportMetrics = async (all: WorkerMetrics, worker: string, metrics: Metrics) =>
  all.record(worker, structuredClone(await metrics.readJson()))

/** The value of a line of the text, or null if there is none. */
async function valueIn(all: WorkerMetrics, line: string): Promise<number | null> {
  const found = (await all.text()).split('\n').find((text) => text.startsWith(`${line} `))
  return found === undefined ? null : Number(found.slice(line.length))
}

const observe = (metrics: Metrics, times: number) => {
  for (let n = 0; n < times; n++)
    metrics.observe({ endpoint: 'chat', model: 'm', status: 200, outcome: 'finished', tookMs: 1, ownMs: 1, firstTokenMs: null })
}
const TOTAL = 'tollgate_requests_total{endpoint="chat",model="m",status="200",outcome="finished"}'
const TIMED = 'tollgate_request_seconds_count{endpoint="chat"}'

it('counts go on where a worker does not tell, ends, and is followed by another', async () => {
  const all = new WorkerMetrics()
  const [one, two] = [createMetrics(), createMetrics()]
  for (const metrics of [one, two]) metrics.registerGauge('tollgate_waiting', 'What waits.', () => 5)
  observe(one, 3)
  observe(two, 4)
  await reportMetrics(all, '1', one)
  await reportMetrics(all, '2', two)
  expect([await valueIn(all, TOTAL), await valueIn(all, TIMED), await valueIn(all, 'tollgate_waiting')]).toEqual([7, 7, 10])
  observe(one, 1)
  await reportMetrics(all, '1', one)
  all.forget('2')
  expect([await valueIn(all, TOTAL), await valueIn(all, TIMED), await valueIn(all, 'tollgate_waiting')]).toEqual([8, 8, 5])
  const three = createMetrics()
  observe(three, 2)
  await reportMetrics(all, '3', three)
  expect(await valueIn(all, TOTAL)).toBe(10)
  all.forget('3')
  all.forget('1')
  all.forget('nobody')
  expect([await valueIn(all, TOTAL), await valueIn(all, TIMED), await valueIn(all, 'tollgate_waiting')]).toEqual([10, 10, null])
})

it('a breaker and the most files that may be open are no sums', async () => {
  const all = new WorkerMetrics()
  const shown = (state: BreakerStatus['state']) => () => [{ deployment: 'd', model: 'm', connection: 'c', state }]
  const [one, two] = [createMetrics(), createMetrics()]
  one.registerBreakers(shown('half_open'))
  two.registerBreakers(shown('half_open'))
  await reportMetrics(all, '1', one)
  const most = await valueIn(all, 'process_max_fds')
  await reportMetrics(all, '2', two)
  expect(await valueIn(all, 'tollgate_breaker_state{deployment="d",model="m",connection="c"}')).toBe(1)
  expect(await valueIn(all, 'process_max_fds')).toBe(most)
})
