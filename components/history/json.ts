import type { RequestDetail } from '#lib/contracts/requests'
import { isPlainObject } from '#lib/domain/is-plain-object'

export type Json = NonNullable<RequestDetail['history']>['request']
export type JsonRecord = { [name: string]: Json }

/** The value as an object. Null if it is something else. */
export const asRecord = (value: Json | undefined): JsonRecord | null => (isPlainObject(value) ? value : null)

/** The value as a string. Null if it is something else. */
export const asText = (value: Json | undefined): string | null => (typeof value === 'string' ? value : null)

/** JSON with indentation, for people. */
export const formatJson = (value: Json): string => JSON.stringify(value, null, 2)
