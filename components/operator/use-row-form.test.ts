import { expect, it } from 'vitest'
import { baseVersionOf } from './use-row-form.ts'

interface Row {
  version: number
  name: string
  models: string[]
}
const formOf = ({ name }: Row) => ({ name })
const row = (version: number, name = 'team', models: string[] = []): Row => ({ version, name, models })
const draft = { row: row(1), form: { name: 'crew' } }

it.each([
  ['an untouched form is saved over the newest row', null, row(3, 'others'), 3],
  ['a touched one over the row that it was begun over', draft, row(1), 1],
  ['what is another card’s may have changed', draft, row(2, 'team', ['a/b']), 2],
  ['its own fields may not', draft, row(2, 'others'), 1],
])('%s', (_, begun, now, version) => {
  expect(baseVersionOf(begun, now, formOf)).toBe(version)
})
