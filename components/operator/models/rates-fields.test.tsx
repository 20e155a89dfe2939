import { NextIntlClientProvider } from 'next-intl'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import en from '../../messages/en.json' with { type: 'json' }
import { RatesFields } from './rates-fields.tsx'

/** Renders two lines. Returns which of them are marked, and the errors that are shown. */
function shown(errors: Record<string, string>): { marked: boolean[]; told: (string | undefined)[] } {
  const lines = ['input', 'output'].map((unit) => ({ unit, text: '1,5', known: null }))
  const html = renderToStaticMarkup(
    <NextIntlClientProvider locale="en" messages={en} timeZone="UTC">
      <RatesFields lines={lines} onChange={() => undefined} units={[]} errors={errors} />
    </NextIntlClientProvider>,
  )
  const inputs = [...html.matchAll(/<input[^>]*>/g)].map(([input]) => input)
  return {
    marked: inputs.map((input) => input.includes(' aria-invalid="true"')),
    told: [...html.matchAll(/role="alert"[^>]*>([^<]*)/g)].map(([, text]) => text),
  }
}

it.each([
  [{}, [false, false], []],
  [{ 'rates.output': 'Not this.' }, [false, true], ['Not this.']],
  [{ 'rates.input': 'Not this.', 'rates.output': 'Not this.' }, [true, true], ['Not this.']],
  [{ 'rates.input': 'Not this.', 'rates.output': 'Too high.' }, [true, true], ['Not this.', 'Too high.']],
  [{ rates: 'One is missing.' }, [true, true], ['One is missing.']],
])('with %j, marks %j', (errors: Record<string, string>, marked, told) => {
  expect(shown(errors)).toEqual({ marked, told })
})
