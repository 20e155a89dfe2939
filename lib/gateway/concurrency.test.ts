import { expect, it } from 'vitest'
import { Places } from './concurrency.ts'

it('who was let out twice has left one place, not two', () => {
  const places = new Places({ most: () => 2 })
  const enter = (): (() => void) => {
    const leave = places.enter('key_1')
    if (leave instanceof Promise) throw new Error('no place at once')
    return leave
  }
  const leave = enter()
  enter()
  leave()
  leave()
  enter()
  expect(enter).toThrow(/2 requests under way/)
})
