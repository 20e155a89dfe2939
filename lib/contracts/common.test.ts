import { expect, it } from 'vitest'
import { printable } from './common.ts'

it.each(['Nora', '鹭', 'a b', '🦩', '👩‍💻', 'نام‌ها', '—'])('%j can be seen', (text) => {
  expect(printable.test(text)).toBe(true)
})

it.each(['', '​', ' ', '‮live', 'a­b', 'a\nb', '‍', 'a﻿'])('%j has something hidden in it, or nothing to see', (text) => {
  expect(printable.test(text)).toBe(false)
})
