import type { SharedV4Warning } from '@ai-sdk/provider'
import type { Fields, ForwardCall } from '../vendor.ts'
import type { MediaDialect, MediaModels } from './media-dialect.ts'

/** What was made, in the format of OpenAI's wire, and the request's fields that had no effect. */
export interface MediaResult {
  type: string
  body: Uint8Array
  ignored: readonly string[]
}

/** Makes models for a single call, so that the posts of each call are counted separately. */
export type CreateModels = () => MediaModels

/** Makes what a call asks for. */
export type MediaHandler = (models: CreateModels, call: ForwardCall, dialect: MediaDialect) => Promise<MediaResult>

/** The names of the request fields that a package's warnings are about. */
export const warnedFields = (warnings: readonly SharedV4Warning[], fields: Readonly<Record<string, string>>): string[] =>
  warnings.flatMap((warning) => ('feature' in warning ? [fields[warning.feature] ?? warning.feature] : []))

/** The request's fields that say something and were not used. */
export const unusedFields = (body: Fields, used: readonly string[]): string[] =>
  Object.keys(body).filter((name) => !used.includes(name) && body[name] != null && body[name] !== false)
