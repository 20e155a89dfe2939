import { setTimeout as sleep } from 'node:timers/promises'
import type { LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { expect, it } from 'vitest'
import { mergeChoices } from './parts.ts'

type Part = LanguageModelV4StreamPart
const text = (delta: string): Part => ({ type: 'text-delta', id: '0', delta })

it('a choice that fails while nobody asks for more is heard when somebody does, and not by the process', async () => {
  const uncaught: unknown[] = []
  const hear = (error: unknown) => uncaught.push(error)
  process.on('unhandledRejection', hear)
  try {
    let fail: (error: Error) => void = () => undefined
    const breaks = new Promise<IteratorResult<Part>>((_, reject) => {
      fail = reject
    })
    const silent = { next: () => new Promise<IteratorResult<Part>>(() => undefined) }
    const parts = mergeChoices([
      { read: [text('One')], rest: { next: () => breaks } },
      { read: [], rest: silent },
    ])[Symbol.asyncIterator]()
    expect(await parts.next()).toMatchObject({ value: { choice: 0 } })
    // The reader is slow, or has left.
    fail(new Error('the vendor broke off'))
    await sleep(20)
    await expect(parts.next()).rejects.toThrow('broke off')
    expect(uncaught).toEqual([])
  } finally {
    process.off('unhandledRejection', hear)
  }
})
