import { randomUUID } from 'node:crypto'
import { createParser } from 'eventsource-parser'
import { fieldIn } from '../../domain/field-in.ts'

/** An answer, an event of one, or an object in one, as a vendor sent it. */
export type VendorObject = Readonly<Record<string, unknown>>

/** Changes good answers into what a provider package can read. Packages refuse an answer for each thing that they do not know. */
export interface AnswerCorrections {
  /** A whole answer. */
  answer(answer: VendorObject): VendorObject
  /** Makes a function for one stream. It turns an event into those that the package gets, which can be none. */
  events(): (event: VendorObject) => readonly VendorObject[]
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

function objectIn(text: string): VendorObject | null {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : null
  } catch {
    return null
  }
}

export const isObject = (value: unknown): value is VendorObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A field that should be a list. */
export function listIn(value: unknown, name: string): readonly unknown[] {
  const list = fieldIn(value, name)
  return Array.isArray(list) ? list : []
}

/** The same object with some fields changed. */
export const withFields = (object: unknown, fields: VendorObject): VendorObject => ({ ...(object as VendorObject), ...fields })

/** A call, or a part of one, whose arguments are a text: some vendors send an object, or null where there are none. */
export function withArgumentsAsText(call: unknown): VendorObject {
  const args = fieldIn(fieldIn(call, 'function'), 'arguments')
  if (typeof args === 'string') return call as VendorObject
  const text = isObject(args) ? JSON.stringify(args) : ''
  return withFields(call, { function: withFields(fieldIn(call, 'function'), { arguments: text }) })
}

/** A whole call, with an id and with arguments that are a text. */
export function withIdAndArguments(call: unknown): VendorObject {
  const id = fieldIn(call, 'id')
  return { ...withArgumentsAsText(call), id: typeof id === 'string' && id !== '' ? id : `call_${randomUUID()}` }
}
