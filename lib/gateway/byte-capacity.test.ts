import { expect, it } from 'vitest'
import { createBodyCapacity } from './byte-capacity.ts'

it('has so much room for each account, and for all', () => {
  const room = createBodyCapacity({ accountBytes: 10, bytes: 15 })
  room.take('acc_1', 6)
  room.take('acc_1', 4)
  expect(() => room.take('acc_1', 1)).toThrow(expect.objectContaining({ condition: 'too_many_requests', retryAfter: 5 }))
  room.take('acc_2', 5)
  expect(() => room.take('acc_3', 1)).toThrow(expect.objectContaining({ condition: 'unavailable', retryAfter: 5 }))
  room.release('acc_1', 6)
  room.take('acc_3', 6)
  expect(() => room.take('acc_1', 1)).toThrow(expect.objectContaining({ condition: 'unavailable' }))
  room.release('acc_1', 4)
  room.release('acc_2', 5)
  room.release('acc_3', 6)
  room.take('acc_1', 10)
})
