import { type Budget, numberOr, type PlainSchema, spend } from './schema-merge.ts'

/** Examples by `format`. `n`, from 1 on, makes them differ. */
const FORMATS: Readonly<Record<string, (n: number) => string>> = {
  'date-time': (n) => new Date(Date.UTC(2026, 0, 14 + n, 9, 30)).toISOString(),
  date: (n) => new Date(Date.UTC(2026, 0, 14 + n)).toISOString().slice(0, 10),
  time: (n) => new Date(Date.UTC(2026, 0, 1, 9, 29 + n)).toISOString().slice(11, 19).concat('Z'),
  duration: (n) => `PT${n}H`,
  email: (n) => `person${n}@example.com`,
  hostname: (n) => `host${n}.example.com`,
  ipv4: (n) => `192.0.2.${n % 255}`,
  ipv6: (n) => `2001:db8::${n.toString(16)}`,
  uri: (n) => `https://example.com/${n}`,
  uuid: (n) => `00000000-0000-4000-8000-${n.toString(16).padStart(12, '0')}`,
}

/** The length of a text. JSON schema counts code points. */
const lengthOf = (text: string): number => [...text].length

function fitsLength(schema: PlainSchema, text: string): boolean {
  const length = lengthOf(text)
  return length >= numberOr(schema.minLength, 0) && length <= numberOr(schema.maxLength, Number.POSITIVE_INFINITY)
}

/**
 * A string that meets `format` and the length; undefined if there is none. `pattern` is not checked, because an untrusted regular
 * expression could block the process for minutes.
 */
export function makeString(schema: PlainSchema, budget: Budget, variant: number): string | undefined {
  const format =
    typeof schema.format === 'string' && Object.hasOwn(FORMATS, schema.format) ? FORMATS[schema.format]?.(variant + 1) : undefined
  if (format !== undefined && fitsLength(schema, format)) return format
  const min = Math.ceil(numberOr(schema.minLength, 0))
  const max = Math.floor(numberOr(schema.maxLength, Number.POSITIVE_INFINITY))
  if (min > max || max < 0 || !spend(budget, 1 + min / 8)) return undefined
  const number = variant === 0 ? '' : ` ${variant + 1}`
  const ending = number.slice(Math.max(0, number.length - max))
  const capacity = max - ending.length
  const base = [...budget.text].slice(0, Math.max(0, capacity)).join('')
  const filler = '.'.repeat(Math.max(0, min - lengthOf(base) - ending.length))
  return base + filler + ending
}

/** Whether a number is in the schema's range and a multiple of its step, in the sense of floating-point division. */
export function fitsNumber(schema: PlainSchema, value: number): boolean {
  const step = numberOr(schema.multipleOf, 0)
  return (
    Number.isFinite(value) &&
    value >= numberOr(schema.minimum, -Infinity) &&
    value <= numberOr(schema.maximum, Infinity) &&
    value > numberOr(schema.exclusiveMinimum, -Infinity) &&
    value < numberOr(schema.exclusiveMaximum, Infinity) &&
    (step === 0 || Number.isInteger(value / step))
  )
}

/** The numbers to try: a small one, then those at and between the ends of the range. */
function candidates(low: number, high: number, step: number, variant: number): number[] {
  const middle = low / 2 + high / 2
  const ends = [1, low, high, low + step, high - step, middle, 0]
  const around = ends.flatMap((end) => [end, Math.ceil(end / step) * step, Math.floor(end / step) * step])
  // Floating-point steps do not always divide back to whole numbers. A few neighbors are enough to find one that does.
  const near = [low, high].flatMap((end) =>
    Array.from({ length: 24 }, (_, at) => (Math.ceil(end / step) + (end === high ? -at : at)) * step),
  )
  return [1 + variant * step, low + variant * step, high - variant * step, ...around, ...near]
}

/** A number that meets the schema; undefined if none of those tried does. */
export function makeNumber(schema: PlainSchema, integerOnly: boolean, variant: number): number | undefined {
  const step = numberOr(schema.multipleOf, 1)
  const low = Math.max(numberOr(schema.minimum, -Infinity), numberOr(schema.exclusiveMinimum, -Infinity))
  const high = Math.min(numberOr(schema.maximum, Infinity), numberOr(schema.exclusiveMaximum, Infinity))
  return candidates(low, high, step, variant).find(
    (value) => fitsNumber(schema, value) && (!integerOnly || Number.isInteger(value)),
  )
}

/** Whether a value that the schema lists meets its other constraints on scalars. */
export function fitsScalar(schema: PlainSchema, value: unknown): boolean {
  if (typeof value === 'number') return fitsNumber(schema, value)
  return typeof value === 'string' ? fitsLength(schema, value) : true
}
