import { afterEach, describe, expect, test, vi } from 'vitest'
import { scheduleFlush, TaskBatcher } from './task-batcher.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

const turn = () => new Promise((resolve) => setImmediate(resolve))

describe('what is gathered', () => {
  test('alone it waits for the end of its turn, and no longer', async () => {
    let done = false
    scheduleFlush(
      () => 1,
      () => {
        done = true
      },
    )
    expect(done).toBe(false)
    await turn()
    expect(done).toBe(true)
  })

  test('waits while each turn brings more', async () => {
    // The clock stands still, because a turn of a busy machine may take longer than the two milliseconds.
    vi.spyOn(performance, 'now').mockReturnValue(0)
    let count = 2
    let done = false
    scheduleFlush(
      () => count,
      () => {
        done = true
      },
    )
    await turn()
    expect(done).toBe(false)
    count = 3
    await turn()
    expect(done).toBe(false)
    await turn()
    expect(done).toBe(true)
  })

  test('waits two milliseconds at most, whatever comes', async () => {
    let nowMs = 0
    vi.spyOn(performance, 'now').mockImplementation(() => nowMs)
    let count = 1
    // Half a millisecond passes with each turn.
    const countMore = () => {
      nowMs += 0.5
      return ++count
    }
    await new Promise<void>((resolve) => scheduleFlush(countMore, resolve))
    expect([nowMs, count]).toEqual([2, 5])
  })
})

describe('what is done together', () => {
  /** An instance in which several works came together recently. */
  async function busy(): Promise<TaskBatcher> {
    const together = new TaskBatcher()
    for (let come = 0; come < 3; come++) together.add(() => undefined)
    for (let at = 0; at < 4; at++) await turn()
    return together
  }

  test('each step is done for all before the next, in the order in which they came', async () => {
    const together = await busy()
    const said: string[] = []
    const work = (name: string) => async () => {
      said.push(`${name}1`)
      await null
      said.push(`${name}2`)
    }
    for (const name of ['a', 'b', 'c']) together.add(work(name))
    expect(said).toEqual([])
    await turn()
    await turn()
    expect(said).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'c2'])
  })

  test('what comes while it is done is done next', async () => {
    const together = await busy()
    const said: number[] = []
    together.add(() => {
      said.push(1)
      together.add(() => said.push(3))
    })
    together.add(() => said.push(2))
    for (let at = 0; at < 4; at++) await turn()
    expect(said).toEqual([1, 2, 3])
  })

  test('what comes alone is done as soon as its event is over, and not before', async () => {
    const together = new TaskBatcher()
    const said: string[] = []
    for (const name of ['a', 'b']) {
      together.add(() => said.push(name))
      expect(said).not.toContain(name)
      await null
      expect(said).toContain(name)
      await turn()
    }
  })

  test('of what comes in one turn only the first is done alone, and then all of a turn waits for each other again', async () => {
    const together = new TaskBatcher()
    const said: string[] = []
    for (const name of ['a', 'b', 'c']) together.add(() => said.push(name))
    await null
    expect(said).toEqual(['a'])
    for (let at = 0; at < 4; at++) await turn()
    expect(said).toEqual(['a', 'b', 'c'])
    for (const name of ['d', 'e']) together.add(() => said.push(name))
    await null
    expect(said).toEqual(['a', 'b', 'c'])
    for (let at = 0; at < 4; at++) await turn()
    expect(said).toEqual(['a', 'b', 'c', 'd', 'e'])
  })
})
