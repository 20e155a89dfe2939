import type { SharedV4Warning } from '@ai-sdk/provider'
import type { Fields, ForwardCall } from '../vendor.ts'
import type { MediaDialect, MediaModels } from './media-dialect.ts'

/** What was made, as OpenAI's wire has it, and which fields of the request had no part in it. */
export interface Made {
  type: string
  body: Uint8Array
  ignored: readonly string[]
}

/** Models of one call each: what one of them posts counts for it alone. */
export type NewModels = () => MediaModels

/** Makes what a call asks for. */
export type Maker = (models: NewModels, call: ForwardCall, dialect: MediaDialect) => Promise<Made>

/** The names of a request's fields behind the warnings of a package. */
export const warnedFields = (warnings: readonly SharedV4Warning[], fields: Readonly<Record<string, string>>): string[] =>
  warnings.flatMap((warning) => ('feature' in warning ? [fields[warning.feature] ?? warning.feature] : []))

/** Fields of a request that say something, but for those that were used. */
export const unusedFields = (body: Fields, used: readonly string[]): string[] =>
  Object.keys(body).filter((name) => !used.includes(name) && body[name] != null && body[name] !== false)
