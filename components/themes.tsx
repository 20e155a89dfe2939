'use client'
import { ThemeProvider } from 'next-themes'
import type { ReactNode } from 'react'

/**
 * Light or dark, as the reader chose or the system says; set before the first paint, by a script that carries the page's
 * nonce. It is no property in the browser: there the nonce is hidden from scripts, and would look like another one.
 */
export const Themes = ({ nonce, children }: { nonce: string | undefined; children: ReactNode }) => (
  <ThemeProvider
    attribute="data-theme"
    defaultTheme="system"
    enableSystem
    disableTransitionOnChange
    {...(nonce === undefined ? {} : { nonce })}
  >
    {children}
  </ThemeProvider>
)
