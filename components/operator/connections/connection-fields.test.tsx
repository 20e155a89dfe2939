import { NextIntlClientProvider } from 'next-intl'
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, it } from 'vitest'
import { VENDOR_KINDS } from '#lib/domain/vendor-kind-list'
import en from '../../messages/en.json' with { type: 'json' }
import { ConnectionFields } from './connection-fields.tsx'
import { newConnectionForm } from './connection-form.ts'

describe('the fields of a connection', () => {
  it.each(VENDOR_KINDS.map(({ id }) => id))('of %s have an example or none, but no empty one', (kind) => {
    const html = renderToStaticMarkup(
      <NextIntlClientProvider locale="en" messages={en} timeZone="UTC">
        <ConnectionFields form={newConnectionForm(kind)} onChange={() => undefined} errors={{}} />
      </NextIntlClientProvider>,
    )
    expect(html).toContain('name="name"')
    expect(html).not.toContain('placeholder=""')
  })
})
