import { NextIntlClientProvider } from 'next-intl'
import { getMessages } from 'next-intl/server'
import type { ReactNode } from 'react'
import { AREA_TEXTS } from './area-texts.ts'

/**
 * Sends the browser only the texts that the pages of an area use, because they are part of every page. Replaces the texts of
 * any surrounding provider.
 */
export async function AreaTextsProvider({ of, children }: { of: keyof typeof AREA_TEXTS; children: ReactNode }) {
  const all: Record<string, unknown> = await getMessages()
  const messages = Object.fromEntries(AREA_TEXTS[of].map((part) => [part, all[part]]))
  return <NextIntlClientProvider messages={messages}>{children}</NextIntlClientProvider>
}
