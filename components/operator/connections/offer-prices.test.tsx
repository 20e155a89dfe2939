import { NextIntlClientProvider } from 'next-intl'
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, it } from 'vitest'
import type { Offer } from '#lib/contracts/operator-import'
import en from '../../messages/en.json' with { type: 'json' }
import { OfferPriceFields } from './offer-prices.tsx'

const show = (modality: string, typed: Record<string, string>, isChosen: boolean): string =>
  renderToStaticMarkup(
    <NextIntlClientProvider locale="en" messages={en} timeZone="UTC">
      <OfferPriceFields
        offer={{ upstreamModel: 'm', modality } as Offer}
        typed={{ m: typed }}
        isChosen={isChosen}
        onType={() => undefined}
      />
    </NextIntlClientProvider>,
  )
const textById = (html: string): Map<string | undefined, string | undefined> =>
  new Map([...html.matchAll(/<span id="([^"]*)"[^>]*>([^<]*)/g)].map(([, id, text]) => [id, text]))

/** For each field: whether it is marked as wrong, and what describes it. */
const fieldsOf = (html: string) =>
  [...html.matchAll(/<input[^>]*>/g)].map(([input]) => ({
    isInvalid: input.includes('aria-invalid="true"'),
    says: /aria-describedby="([^"]*)"/
      .exec(input)?.[1]
      ?.split(' ')
      .map((id) => textById(html).get(id)),
  }))

describe('the prices of an offered model', () => {
  it('say what they are for', () => {
    expect(fieldsOf(show('chat', {}, false))).toEqual([
      { isInvalid: false, says: ['/ M tokens'] },
      { isInvalid: false, says: ['/ M tokens'] },
    ])
    expect(fieldsOf(show('video', { video_second: '0.2' }, true))).toEqual([{ isInvalid: false, says: ['/ second'] }])
    expect(fieldsOf(show('speech', {}, false))).toEqual([{ isInvalid: false, says: ['/ M characters'] }])
  })

  it('say what is wrong with them, each at its field', () => {
    const { amount, ceiling } = en.operator.faults
    expect(fieldsOf(show('chat', { input: '1,5', output: '2' }, false))).toEqual([
      { isInvalid: true, says: ['/ M tokens', amount] },
      { isInvalid: false, says: ['/ M tokens'] },
    ])
    expect(fieldsOf(show('video', { video_second: '1001' }, false))).toEqual([{ isInvalid: true, says: ['/ second', ceiling] }])
  })

  it('are missing only if the model is selected', () => {
    const { missing } = en.operator.faults
    expect(fieldsOf(show('chat', { input: '1' }, true))).toEqual([
      { isInvalid: false, says: ['/ M tokens'] },
      { isInvalid: true, says: ['/ M tokens', missing] },
    ])
  })
})
