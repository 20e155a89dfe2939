import type { Content } from '../content/blocks.ts'
import type { Operation } from './operations.ts'
import type { Field } from './schema-walker.ts'

type Texts = Content['reference']

/** The document is in English. A text without a translation stays as it is. */
const translateText = (text: string, texts: Texts): string => texts[text] ?? text

const translateFields = <F extends Field>(fields: readonly F[], texts: Texts): F[] =>
  fields.map((field) => ({
    ...field,
    description: field.description && translateText(field.description, texts),
    children: translateFields(field.children, texts),
  }))

/** An endpoint with its summary and all descriptions in the language of the texts. */
export const translateOperation = (operation: Operation, texts: Texts): Operation => ({
  ...operation,
  summary: translateText(operation.summary, texts),
  description: operation.description && translateText(operation.description, texts),
  parameters: translateFields(operation.parameters, texts),
  body: operation.body && { ...operation.body, fields: translateFields(operation.body.fields, texts) },
  answers: operation.answers.map((answer) => ({ ...answer, fields: translateFields(answer.fields, texts) })),
})
