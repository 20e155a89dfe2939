import { expect, it } from 'vitest'
import { createQueue } from './queue.ts'

/** A task that ends when it is told to. */
function openTask(name: string, log: string[]) {
  let end = (_error?: Error): void => undefined
  const task = async () => {
    log.push(`${name} runs`)
    await new Promise<void>((resolve, reject) => {
      end = (error) => (error ? reject(error) : resolve())
    })
    return name
  }
  return { task, end: (error?: Error) => end(error) }
}

const turn = () => new Promise(setImmediate)

it('runs so many at once, and the others in their order, also after one that failed', async () => {
  const log: string[] = []
  const queued = createQueue(2)
  const tasks = ['a', 'b', 'c', 'd'].map((name) => openTask(name, log))
  const results = tasks.map(({ task }) => queued(task).catch((error: Error) => error.message))
  await turn()
  expect(log).toEqual(['a runs', 'b runs'])
  tasks[1]?.end(new Error('b failed'))
  await turn()
  expect(log).toEqual(['a runs', 'b runs', 'c runs'])
  tasks[0]?.end()
  tasks[2]?.end()
  await turn()
  tasks[3]?.end()
  expect(await Promise.all(results)).toEqual(['a', 'b failed', 'c', 'd'])
})

it('refuses whoever would be one more than may wait, and takes the next when there is room', async () => {
  const log: string[] = []
  const queued = createQueue(1, { waiting: 1, createError: () => new Error('too many') })
  const [a, b, c] = ['a', 'b', 'c'].map((name) => openTask(name, log))
  if (!a || !b || !c) throw new Error('no tasks')
  const first = queued(a.task)
  const second = queued(b.task)
  await expect(queued(c.task)).rejects.toThrow('too many')
  a.end()
  expect(await first).toBe('a')
  await turn()
  const third = queued(c.task)
  b.end()
  expect(await second).toBe('b')
  await turn()
  c.end()
  expect(await third).toBe('c')
})
