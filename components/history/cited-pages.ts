import { isHttpUrl } from '../ui/external-link.tsx'
import { asRecord, asText, type Json, type JsonRecord } from './json.ts'

/** A web page that an answer cites. */
export interface CitedPage {
  url: string
  title: string
}

const MAX_PAGES = 50

const listIn = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : [])

/** The pages that a message cites, each once: beside the text, as in chats, or in its parts, as in responses. Only what can be a link. */
export function citedPagesOf({ annotations, content }: JsonRecord): CitedPage[] {
  const inParts = listIn(content).flatMap((part) => listIn(asRecord(part)?.annotations))
  const pages = new Map<string, CitedPage>()
  for (const annotation of [...listIn(annotations), ...inParts]) {
    const cited = asRecord(asRecord(annotation)?.url_citation ?? annotation)
    const url = asText(cited?.url) ?? ''
    if (!isHttpUrl(url) || !URL.canParse(url)) continue
    if (!pages.has(url)) pages.set(url, { url, title: asText(cited?.title) || url })
  }
  return [...pages.values()].slice(0, MAX_PAGES)
}
