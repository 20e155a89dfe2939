'use client'
import { createContext, type ReactNode, useContext } from 'react'

/** The texts of a page that failed. */
export interface PageFailureTexts {
  title: string
  text: string
  retry: string
}

const FailureTextsContext = createContext<PageFailureTexts | null>(null)

/** Keeps the texts for a page that fails: nothing can be requested by then, and the public site loads no translations. */
export const FailureTextsProvider = ({ failure, children }: { failure: PageFailureTexts; children: ReactNode }) => (
  <FailureTextsContext value={failure}>{children}</FailureTextsContext>
)

export const useFailureTexts = (): PageFailureTexts | null => useContext(FailureTextsContext)
