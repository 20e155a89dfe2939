/** The value of a cookie in a request's Cookie header; null if there is none. */
export function cookieOf(header: string | null, name: string): string | null {
  const found = header?.split(';').find((part) => part.trim().startsWith(`${name}=`))
  return found ? found.trim().slice(name.length + 1) : null
}

/** A cookie's value before it was escaped for the header; an empty text if the value is not validly escaped. */
export function unescapeCookie(value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    return ''
  }
}
