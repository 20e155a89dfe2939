import { NextIntlClientProvider } from 'next-intl'
import { getMessages } from 'next-intl/server'
import type { ReactNode } from 'react'
import type en from './messages/en.json'

/** Parts of the texts, by the names of components/messages. */
type Part = keyof typeof en

/**
 * Gives the browser those texts that the pages inside need, and no others: they travel with every page. It
 * replaces what is around it, so it names all that is used inside.
 */
export async function Texts({ of, children }: { of: readonly Part[]; children: ReactNode }) {
  const all: Record<string, unknown> = await getMessages()
  const messages = Object.fromEntries(of.map((part) => [part, all[part]]))
  return <NextIntlClientProvider messages={messages}>{children}</NextIntlClientProvider>
}
