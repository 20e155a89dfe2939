/** The value of a cookie in a request's Cookie header; null where there is none. */
export function cookieOf(header: string | null, name: string): string | null {
  const found = header?.split(';').find((part) => part.trim().startsWith(`${name}=`))
  return found ? found.trim().slice(name.length + 1) : null
}

/** A cookie's value as it was before it was escaped for the header; nothing where it cannot have been. */
export function unescaped(value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    return ''
  }
}
