/** The value of a cookie in a request's Cookie header; null where there is none. */
export function cookieOf(header: string | null, name: string): string | null {
  const found = header?.split(';').find((part) => part.trim().startsWith(`${name}=`))
  return found ? found.trim().slice(name.length + 1) : null
}
