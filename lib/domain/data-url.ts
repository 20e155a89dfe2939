/** A file that came in a base64 data: URL. */
export interface DataUrl {
  /** In small letters, as the URL calls it. */
  type: string
  base64: string
}

/** The parts of a base64 data: URL; null for anything else. */
export function readDataUrl(url: string): DataUrl | null {
  const head = /^data:([\w.+-]+\/[\w.+-]+)(?:;[\w.+-]+=[\w.+-]+)*;base64,/i.exec(url.slice(0, 256))
  return head ? { type: (head[1] ?? '').toLowerCase(), base64: url.slice(head[0].length) } : null
}
