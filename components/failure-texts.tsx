'use client'
import { createContext, type ReactNode, useContext } from 'react'

/** What a page that broke says. */
export interface Failure {
  title: string
  text: string
  retry: string
}

const Texts = createContext<Failure | null>(null)

/** Keeps the words for a page that breaks: by then nothing can be asked any more, and the site loads no translations. */
export const FailureTexts = ({ failure, children }: { failure: Failure; children: ReactNode }) => (
  <Texts value={failure}>{children}</Texts>
)

export const useFailureTexts = (): Failure | null => useContext(Texts)
