import { expect, it } from 'vitest'
import { chooseZone } from './zone.ts'

it.each([
  [undefined, 'UTC'],
  ['', 'UTC'],
  ['Europe/Berlin', 'Europe/Berlin'],
  ['Asia%2FShanghai', 'Asia/Shanghai'],
  ['Nowhere/Land', 'UTC'],
  ['%', 'UTC'],
  ['<script>', 'UTC'],
])('%s is %s', (named, zone) => {
  expect(chooseZone(named)).toBe(zone)
})
