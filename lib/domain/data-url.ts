/** A file from a base64 data: URL. */
export interface DataUrl {
  /** As the URL gives it, in lower case. */
  type: string
  base64: string
}

/** The parts of a base64 data: URL, or null for anything else. */
export function readDataUrl(url: string): DataUrl | null {
  const head = /^data:([\w.+-]+\/[\w.+-]+)(?:;[\w.+-]+=[\w.+-]+)*;base64,/i.exec(url.slice(0, 256))
  return head ? { type: (head[1] ?? '').toLowerCase(), base64: url.slice(head[0].length) } : null
}
