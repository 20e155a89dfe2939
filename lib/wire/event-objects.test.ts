import { expect, it } from 'vitest'
import { failureIn } from './event-objects.ts'

it.each([
  [{ error: { code: 'overloaded', message: 'secret' } }, 'overloaded'],
  [{ error: 'secret' }, 'without a code'],
  [{ type: 'error', error: { type: 'overloaded_error' } }, 'overloaded_error'],
  [{ object: 'error', code: 500, message: 'secret' }, '500'],
  // Groq, "API reference": why a stream was stopped early.
  [{ choices: [], x_groq: { id: 'req_1', error: 'secret' } }, 'without a code'],
  [{ choices: [{ finish_reason: 'error', error: { code: 502, message: 'secret' } }] }, '502'],
  [{ choices: [{ finish_reason: 'stop' }, { finish_reason: 'error', message: { content: 'secret' } }] }, 'without a code'],
])('%j tells a failure, of which the code is named', (object, code) => {
  expect(failureIn(object)).toMatchObject({ detail: `in-band error ${code}` })
})

it.each([{ choices: [] }, { error: null }, { x_groq: { id: 'req_1' } }, { x_groq: { error: null } }, { x_groq: null }])(
  '%j tells none',
  (object) => {
    expect(failureIn(object)).toBeNull()
  },
)
