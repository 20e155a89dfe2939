import { NextIntlClientProvider } from 'next-intl'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import en from '../messages/en.json' with { type: 'json' }
import { NO_FIGURES } from './figures.ts'
import { FiguresLine } from './figures-line.tsx'

it.each([
  ['first', 'First token'],
  ['firstBytes', 'First bytes'],
] as const)('names what arrives first: %s', (first, text) => {
  const html = renderToStaticMarkup(
    <NextIntlClientProvider locale="en" messages={en} timeZone="UTC">
      <FiguresLine figures={{ ...NO_FIGURES, firstMs: 120 }} first={first} />
    </NextIntlClientProvider>,
  )
  expect(html).toContain(`<dt class="text-second">${text}</dt>`)
})
