import { randomUUID } from 'node:crypto'
import { createParser } from 'eventsource-parser'
import { fieldIn } from '../../domain/field-in.ts'
import { isPlainObject } from '../../domain/is-plain-object.ts'
import type { Fields } from '../vendor.ts'

/** Changes good answers into what a provider package can read. Packages refuse an answer for each thing that they do not know. */
export interface AnswerCorrections {
  /** A whole answer. */
  answer(answer: Fields): Fields
  /** Makes a function for one stream. It turns an event into those that the package gets, which can be none. */
  events(): (event: Fields) => readonly Fields[]
}

/** A whole answer, corrected. What cannot be read stays as it is: the package says what is wrong with it. */
export function correctWhole(text: string, { answer }: AnswerCorrections): string {
  const value = objectIn(text)
  return value ? JSON.stringify(answer(value)) : text
}

/** Corrects the bytes of one stream. It returns whole events, or no bytes until one is whole. */
export function eventCorrector(corrections: AnswerCorrections): (bytes: Uint8Array) => Uint8Array {
  const correct = corrections.events()
  const decoder = new TextDecoder()
  let written = ''
  const parser = createParser({
    onEvent({ data }) {
      const event = objectIn(data)
      const events = event ? correct(event).map((one) => JSON.stringify(one)) : [data]
      for (const one of events) written += `data: ${one.replaceAll('\n', '\ndata: ')}\n\n`
    },
  })
  return (bytes) => {
    parser.feed(decoder.decode(bytes, { stream: true }))
    const whole = Buffer.from(written)
    written = ''
    return whole
  }
}

function objectIn(text: string): Fields | null {
  try {
    const value: unknown = JSON.parse(text)
    return isPlainObject(value) ? value : null
  } catch {
    return null
  }
}

/** A field that should be a list. */
export function listIn(value: unknown, name: string): readonly unknown[] {
  const list = fieldIn(value, name)
  return Array.isArray(list) ? list : []
}

/** The same object with some fields changed. */
export const withFields = (object: unknown, fields: Fields): Fields => ({ ...(object as Fields), ...fields })

/** A call, or a part of one, whose arguments are a text: some vendors send an object, or null where there are none. */
export function withArgumentsAsText(call: unknown): Fields {
  const args = fieldIn(fieldIn(call, 'function'), 'arguments')
  if (typeof args === 'string') return call as Fields
  const text = isPlainObject(args) ? JSON.stringify(args) : ''
  return withFields(call, { function: withFields(fieldIn(call, 'function'), { arguments: text }) })
}

/** A whole call, with an id and with arguments that are a text. */
export function withIdAndArguments(call: unknown): Fields {
  const id = fieldIn(call, 'id')
  return { ...withArgumentsAsText(call), id: typeof id === 'string' && id !== '' ? id : `call_${randomUUID()}` }
}
