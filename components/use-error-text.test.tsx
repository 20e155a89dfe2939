import { NextIntlClientProvider } from 'next-intl'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { ApiError } from './fetch-json.ts'
import en from './messages/en.json' with { type: 'json' }
import { useErrorText } from './use-error-text.ts'

function Shown({ error }: { error: unknown }) {
  return useErrorText()(error)
}

const show = (error: unknown): string =>
  renderToStaticMarkup(
    <NextIntlClientProvider locale="en" messages={en} timeZone="UTC">
      <Shown error={error} />
    </NextIntlClientProvider>,
  )

it.each([
  ['wrong_code', 'This is not the current code. Check the clock on your phone.'],
  ['conflict', 'Two-step verification is off.'],
])('of %s the server’s own text is shown, which says what to do', (code, text) => {
  expect(show(new ApiError(400, code, text, 'code'))).toBe(text)
})

it('of what comes from no verb, and of links, the page has its own words', () => {
  expect(show(new ApiError(429, 'too_many_requests', 'Nginx says no'))).toBe(en.errors.too_many_requests)
  expect(show(new ApiError(400, 'bad_link', 'Request a new one.'))).toBe(en.errors.bad_link)
  expect(show(new Error('x'))).toBe(en.errors.unexpected_answer)
})
