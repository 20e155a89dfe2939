/** A random UUID. `crypto.randomUUID` is missing if the page was served over plain HTTP. */
export function newUuid(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  const version = ((bytes[6] ?? 0) & 0x0f) | 0x40
  const variant = ((bytes[8] ?? 0) & 0x3f) | 0x80
  const digits = [...bytes.with(6, version).with(8, variant)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
