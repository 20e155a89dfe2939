import { messageWith } from '../../messages/message.ts'
import { parseAddressRange } from '../address-range.ts'
import type { GroupRecord } from '../catalog-ports.ts'
import { invalidField } from '../service-error.ts'

/**
 * Checks the models a key is limited to: those of its group, and those it was limited to before. Errors: `invalid_input`
 * (modelAllow).
 */
export function validateModels(models: string[], group: GroupRecord, currentModels: readonly string[] = []): string[] {
  const unknown = models.find((model) => !group.models.includes(model) && !currentModels.includes(model))
  if (unknown !== undefined) {
    throw invalidField(
      'modelAllow',
      messageWith('The group "{group}" has no model "{model}". Choose from its models.', { group: group.name, model: unknown }),
    )
  }
  return [...new Set(models)]
}

/** Normalizes addresses and ranges for storage. Errors: `invalid_input` (addressAllow). */
export function validateAddresses(texts: string[]): string[] {
  const ranges = texts.map((text) => {
    const range = parseAddressRange(text)
    if (range === null) {
      throw invalidField(
        'addressAllow',
        messageWith('"{text}" is not an IP address or range. Use a form such as 203.0.113.7 or 203.0.113.0/24.', { text }),
      )
    }
    return range
  })
  return [...new Set(ranges)]
}

/** Parses a future time; null means none. Errors: `invalid_input` (expiresAt). */
export function validateExpiry(text: string | null, now: Date): Date | null {
  if (text === null) return null
  const expiresAt = new Date(text)
  if (expiresAt <= now) throw invalidField('expiresAt', 'The expiry is in the past. Choose a later time.')
  return expiresAt
}
