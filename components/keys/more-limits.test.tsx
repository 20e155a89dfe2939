import { NextIntlClientProvider } from 'next-intl'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import en from '../messages/en.json' with { type: 'json' }
import { emptyKeyForm } from './key-form.ts'
import { MoreLimits } from './more-limits.tsx'

const group = {
  id: 'grp_1',
  name: 'main',
  description: '',
  multiplierBp: 10_000,
  isDefault: true,
  models: ['a/b', 'a/c'],
  examples: {},
}
const show = (models: string[], errors = {}): string =>
  renderToStaticMarkup(
    <NextIntlClientProvider locale="en" messages={en} timeZone="UTC">
      <MoreLimits open form={{ ...emptyKeyForm('grp_1'), models }} onChange={() => {}} errors={errors} group={group} />
    </NextIntlClientProvider>,
  )

it('a model that has left the group stays in the list, to be unticked', () => {
  const html = show(['a/c', 'a/gone'])
  expect(['a/b', 'a/c', 'a/gone'].map((model) => html.split(`>${model}<`).length - 1)).toEqual([1, 1, 1])
})

it('what is wrong with the chosen models is told beside them', () => {
  expect(show(['a/gone'], { modelAllow: 'There is no such model.' })).toMatch(/role="alert"[^>]*>There is no such model\./)
})
