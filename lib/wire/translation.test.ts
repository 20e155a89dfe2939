import { expect, test } from 'vitest'
import { valuesOf } from '../domain/form.ts'
import { formOf, prepare } from './transcription/testing.ts'
import { translations } from './translation.ts'

test('a list that a transcription takes stays a list, so that its words are counted and not its letters', async () => {
  const input = translations.parse(
    formOf([
      ['prompt', 'Names:'],
      ['keywords[]', 'Tollgate'],
    ]),
  )
  const { ports } = await prepare([])
  const work = await translations.prepare(input, ports)
  expect(translations.text(work)).toBe('Names:\nTollgate')
})

test('the vendor is never asked for a stream', async () => {
  const input = translations.parse(formOf([['stream', 'false']]))
  const { ports } = await prepare([], { capabilities: ['streaming'] })
  const [form] = translations.forms
  const asked = form?.ask(await translations.prepare(input, ports))
  expect(asked && 'form' in asked && valuesOf(asked.form, 'stream')).toEqual([])
  expect(form?.createTap).toBeUndefined()
  expect(translations.isStreamed(input)).toBe(false)
})
