import { expect, test } from 'vitest'
import { ChatFold } from './fold.ts'

const image = (bytes: string) => ({ type: 'image_url', image_url: { url: `data:image/png;base64,${bytes}` } })
const chunk = (delta: object) => ({ choices: [{ index: 0, delta: { ...delta } }] })

test('images that a model made are kept as notes, a hundred at most, and all are counted', () => {
  const fold = new ChatFold()
  fold.add(chunk({ role: 'assistant', content: 'Here.' }))
  for (let count = 0; count < 101; count++) fold.add(chunk({ images: [image('QUJD'.repeat(200))] }))
  const { choices } = fold.toAnswerJson('m') as { choices: { message: { content: string; images: object[] } }[] }
  const note = { type: 'image_url', image_url: { url: expect.stringMatching(/^\[image\/png, 600 bytes, sha256 /) } }
  expect(choices[0]?.message).toEqual({ role: 'assistant', content: 'Here.', images: Array.from({ length: 100 }, () => note) })
  expect([fold.images, fold.started, fold.size]).toEqual([101, true, 5])
})
