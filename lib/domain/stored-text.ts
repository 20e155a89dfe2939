import { VENDOR_FAULTS } from './vendor-faults.ts'

/**
 * The texts that the gateway itself stores with its data: in receipts, in the ledger, on the prices and groups that it sets up,
 * for failed deliveries, and for vendors that could not be asked. They are stored in English with their `{names}` filled in,
 * and shown in the reader's language: the console has each of them under its name here (`formatStoredText` in components/messages).
 */
export const STORED_TEXTS = {
  noUsage: 'The vendor reported no usage.',
  absurdUsage: 'The vendor reported more than the model can take.',
  imagesCounted: 'The vendor did not say what its images used; each was counted as {tokens} tokens, within what was held.',
  imagesUnsplit: 'The vendor did not say how many of the output tokens were images; they were counted as images.',
  leftWithoutUsage: 'The client left and the vendor reported no usage.',
  leftBefore: 'The client left before the first word.',
  left: 'The client left; what was delivered was counted.',
  leftAndBroke: 'The client left and the vendor broke off.',
  broke: 'The vendor broke off; what was delivered was counted.',
  gatewayFailed: 'The gateway failed; what was delivered was counted.',
  stopped: 'The gateway was restarted; what was delivered was counted.',
  everyModel: 'Every model, at list price.',
  signUpCredit: 'Sign-up credit',
  givenUp: 'Given up when the account was closed',
  madeUp: 'A simulation; its prices are made up.',
  listPrice: "{vendor}'s list price.",
  listPriceOfShort: "{vendor}'s list price. Long inputs cost more there: this is the price of short ones.",
  makersPrice: "The maker's list price, from the table of this release.",
  openaiPrice: 'The list price of the same model at OpenAI.',
  noPrice: 'No price is known; set one before others use it.',
  nowhere: 'The host name does not exist.',
  notLookedUp: 'The host name could not be looked up.',
  notOpen: 'The host is not on the public internet.',
  refused: 'The host refused the connection.',
  cut: 'The connection was cut.',
  notReached: 'The host could not be reached.',
  notReachedFor: 'The host could not be reached ({code}).',
  notReachedInTime: 'The host could not be reached in time.',
  noAnswer: 'No answer within 10 seconds.',
  certificateExpired: 'The certificate of the host has expired.',
  certificateUnknown: 'The certificate of the host is not signed by a known authority.',
  certificateOfOther: 'The certificate is for another host.',
  ...VENDOR_FAULTS,
} as const

export type StoredTextName = keyof typeof STORED_TEXTS

type WithoutPlaceholders<Text> = Text extends `${string}{${string}` ? never : Text
type FormattedText = string & { readonly filled: unique symbol }

/** One of the texts above with its values filled in. A parameter of this type cannot get a text that has no translation. */
export type StoredText = WithoutPlaceholders<(typeof STORED_TEXTS)[StoredTextName]> | FormattedText

/** Fills a text's values in, for storing it. */
export const formatStoredText = (name: StoredTextName, values: Readonly<Record<string, string | number>>): StoredText =>
  STORED_TEXTS[name].replace(/\{(\w+)\}/g, (slot, key: string) => String(values[key] ?? slot)) as FormattedText

const REGEX_SPECIALS = /[.*+?^${}()|[\]\\]/g
/** The pattern of a stored text, with its values as named groups. */
const patternOf = (text: string): RegExp =>
  new RegExp(`^${text.replace(REGEX_SPECIALS, '\\$&').replace(/\\\{(\w+)\\\}/g, '(?<$1>[^]+?)')}$`)

let patterns: [StoredTextName, RegExp][] | undefined

/** The name and the values of a stored text, or null if it is not one of ours, for example if an operator wrote it. */
export function parseStoredText(text: string): { name: StoredTextName; values: Record<string, string> } | null {
  patterns ??= (Object.keys(STORED_TEXTS) as StoredTextName[]).map((name) => [name, patternOf(STORED_TEXTS[name])])
  for (const [name, pattern] of patterns) {
    const match = pattern.exec(text)
    if (match) return { name, values: { ...match.groups } }
  }
  return null
}
