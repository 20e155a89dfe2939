import { NextIntlClientProvider } from 'next-intl'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { ApiError } from './fetch-json.ts'
import en from './messages/en.json' with { type: 'json' }
import { Paged } from './paged.tsx'
import type { Pages } from './use-pages.ts'

const nothing = () => undefined
const list: Pages<string> = {
  ...{ rows: ['first'], isOld: false, error: undefined, loadMore: nothing, failed: undefined, loading: false, reload: nothing },
}
const show = (changes: Partial<Pages<string>>): string =>
  renderToStaticMarkup(
    <NextIntlClientProvider locale="en" messages={en} timeZone="UTC">
      <Paged pages={{ ...list, ...changes }} empty="none">
        {(rows) => rows.join()}
      </Paged>
    </NextIntlClientProvider>,
  )

it('a list leads to its next page, where there is one', () => {
  expect(show({})).toMatch(/^first.*Show more/)
  expect(show({ loadMore: null })).toBe('first')
})

it('a next page that did not come says why, and can be asked for again', () => {
  const failed = new ApiError(0, 'unreachable', 'The gateway did not respond.')
  const html = show({ failed, error: failed })
  expect(html).toMatch(/^first.*role="alert".*Try again/)
  expect(html).not.toContain('Show more')
})

it('what is shown stays as it is where only its reading again failed', () => {
  expect(show({ error: new ApiError(0, 'unreachable', 'The gateway did not respond.') })).toBe(show({}))
})

it('that nothing was found is no answer to what is asked next', () => {
  expect(show({ rows: [], loadMore: null })).toBe('none')
  expect(show({ rows: [], loadMore: null, isOld: true })).not.toContain('none')
})
