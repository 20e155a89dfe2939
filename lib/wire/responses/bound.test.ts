import fc from 'fast-check'
import { expect, it } from 'vitest'
import { countTokens } from '../../gateway/count-tokens.ts'
import type { JsonObject } from '../json.ts'
import { emptyResponseStore, preparedResponse } from '../testing.ts'
import { packVendorState } from './encrypted-content.ts'

const RESPONSE = `resp_${'a'.repeat(26)}`

/** A shelf with one response whose request had this text. */
const shelfWith = (text: string) => {
  const input = [{ type: 'message', role: 'user', content: [{ type: 'input_text', text }] }]
  const stored = { id: RESPONSE, accountId: 'acc_1', previousId: null, at: new Date(0), response: { output: [] }, input }
  return { ...emptyResponseStore, find: async () => ({ ...stored, paid: null }) }
}

it('holds the bytes of every item that is only referred to, in any script and however often', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'grapheme', maxLength: 400 }), fc.integer({ min: 1, max: 5 }), async (text, times) => {
      const input = Array.from({ length: times }, () => ({ type: 'item_reference', id: `msg_${'a'.repeat(26)}_i0` }))
      const { preparedChat, chat } = await preparedResponse({ input }, { shelf: shelfWith(text) })
      const sent = (chat.body.messages as JsonObject[]).map(({ content }) => (content as { text: string }[])[0]?.text ?? '')
      expect(sent).toHaveLength(times)
      expect(preparedChat.inputBound).toBeGreaterThanOrEqual(Buffer.byteLength(sent.join('')))
    }),
  )
  const { preparedChat } = await preparedResponse(
    { input: [{ type: 'item_reference', id: `msg_${'a'.repeat(26)}_i0` }] },
    { shelf: shelfWith('明'.repeat(1000)) },
  )
  expect(preparedChat.inputBound).toBeGreaterThan(3000)
})

it('sends what a vendor wants to see again once, however many calls have its id', async () => {
  const thoughts = {
    type: 'reasoning',
    summary: [],
    encrypted_content: packVendorState({ calls: { c: { thought: 'x'.repeat(1000) } } }),
  }
  const call = { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' }
  const output = { type: 'function_call_output', call_id: 'c', output: '' }
  const input = [thoughts, ...Array.from({ length: 50 }, () => [call, output]).flat()]
  const { preparedChat, chat } = await preparedResponse({ input })
  expect(JSON.stringify(chat.body.messages).split('x'.repeat(1000))).toHaveLength(2)
  expect(preparedChat.inputBound).toBeGreaterThanOrEqual(await countTokens(JSON.stringify(chat.body.messages)))
})
