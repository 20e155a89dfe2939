'use client'
import { ThemeProvider } from 'next-themes'
import type { ReactNode } from 'react'

/**
 * Provides the light or dark theme, as chosen by the reader or set by the system. A script with the page's nonce sets it before
 * the first paint. In the browser the script has no nonce: browsers hide it from scripts, so it would look like a mismatch.
 */
export const AppThemeProvider = ({ nonce, children }: { nonce: string | undefined; children: ReactNode }) => (
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
